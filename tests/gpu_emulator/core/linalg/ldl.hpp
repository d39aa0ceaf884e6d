// Factors of symmetric indefinite matrices.
#pragma once

#include "core/linalg/linear_algebra.hpp"

namespace gpu_emulator::library {

template <class T>
status sytrf(void* h, char uplo, int n, batch<T> a, int lda, batch<int> pivots, batch<int> info,
             int count) {
    uses u(count);
    u.operand(a, matrix_size(n, n, lda)).operand(pivots, n).operand(info, 1);
    return u.submit(h, "sytrf", leads(lda, n), [=](int i) {
        auto work = host_work<T>(int64_t{n} * 64);
        const int size = static_cast<int>(work.size());
        host_lapack<T>::get()->sytrf(&uplo, &n, host(a[i]), &lda, host(pivots[i]), work.data(),
                                     &size, host(info[i]));
        // cuSOLVER has the last zero block, not LAPACK's first.
        int& found = *host(info[i]);
        for (int k = found; k < n && found > 0; ++k)
            if (host(a[i])[k + int64_t{k} * lda] == T{}) found = k + 1;
    });
}

}  // namespace gpu_emulator::library
