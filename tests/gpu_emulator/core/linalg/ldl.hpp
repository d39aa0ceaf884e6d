// Factors of symmetric indefinite matrices, and systems solved with them.
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
    });
}

template <class T>
status sytrs(void* h, char uplo, int n, int k, const T* a, int lda, const int64_t* pivots, T* b,
             int ldb, int* info) {
    uses u(1);
    u.operand(batch<T>::one(a), matrix_size(n, n, lda)).memory(pivots, n).memory(info, 1);
    u.operand(batch<T>::one(b), matrix_size(n, k, ldb));
    return u.submit(h, "sytrs", leads(lda, n) && leads(ldb, n) && k >= 0, [=](int) {
        auto narrow = host_work<int>(n);
        std::transform(host(pivots), host(pivots) + n, narrow.begin(),
                       [](int64_t p) { return static_cast<int>(p); });
        host_lapack<T>::get()->sytrs(&uplo, &n, &k, host(a), &lda, narrow.data(), host(b), &ldb,
                                     host(info));
    });
}

}  // namespace gpu_emulator::library
