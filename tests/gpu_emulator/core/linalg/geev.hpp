// Eigenvalues and right eigenvectors of general matrices. Vectors of a conjugate pair of a real
// matrix are a column for each part.
#pragma once

#include "core/linalg/linear_algebra.hpp"

namespace gpu_emulator::library {

template <class T, class R = typename parts<T>::real>
status geev(void* h, bool wanted, int n, T* a, int lda, std::complex<R>* w, T* right, int ld,
            int* info) {
    uses u(1);
    u.operand(batch<T>::one(a), matrix_size(n, n, lda)).memory(w, n).memory(info, 1);
    if (wanted) u.operand(batch<T>::one(right), matrix_size(n, n, ld));
    u.condition([=](const char* name) {
        const bool finite = is_finite(host(a), n, n, lda);
        if (!finite) std::fprintf(stderr, "emulated GPU: %s fails for what is not finite\n", name);
        return finite;
    });
    return u.submit(h, "geev", leads(lda, n) && leads(ld, wanted ? n : 1), [=](int) {
        int& status = *host(info);
        T* const m = host(a);
        const char none = 'N', job = wanted ? 'V' : 'N';
        const int one = 1;
        auto work = host_work<T>(int64_t{n} * 64);
        const int size = static_cast<int>(work.size());
        T* const vectors = wanted ? host(right) : nullptr;
        if constexpr (parts<T>::complex) {
            auto reals = host_work<R>(int64_t{n} * 2);
            host_lapack<T>::get()->geev(&none, &job, &n, m, &lda, host(w), nullptr, &one, vectors,
                                        &ld, work.data(), &size, reals.data(), &status);
        } else {
            auto re = host_work<R>(n), im = host_work<R>(n);
            host_lapack<T>::get()->geev(&none, &job, &n, m, &lda, re.data(), im.data(), nullptr,
                                        &one, vectors, &ld, work.data(), &size, &status);
            for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j)
                host(w)[j] = {re[j], im[j]};
        }
    });
}

}  // namespace gpu_emulator::library
