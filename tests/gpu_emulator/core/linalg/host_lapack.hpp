// The host's BLAS and LAPACK, which compute for the emulated libraries. Opened on first use; one
// thread per call.
#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

namespace gpu_emulator {

template <class T>
struct parts {
    using real = T;
    static constexpr bool complex = false;
};
template <class R>
struct parts<std::complex<R>> {
    using real = R;
    static constexpr bool complex = true;
};

/// Fortran's routines for T. Some complex routines have different names and take another workspace
/// of reals.
template <class T>
struct host_lapack {
    using R = typename parts<T>::real;
    using I = const int*;
    using C = const char*;
    template <class OfReal, class OfComplex>
    using either = std::conditional_t<parts<T>::complex, OfComplex, OfReal>*;

    void (*gemm)(C ta, C tb, I m, I n, I k, const T* alpha, const T* a, I lda, const T* b, I ldb,
                 const T* beta, T* c, I ldc);
    void (*trsm)(C side, C uplo, C trans, C diag, I m, I n, const T* alpha, const T* a, I lda, T* b,
                 I ldb);
    void (*getrf)(I m, I n, T* a, I lda, int* pivots, int* info);
    void (*getrs)(C trans, I n, I k, const T* a, I lda, I pivots, T* b, I ldb, int* info);
    void (*potrf)(C uplo, I n, T* a, I lda, int* info);
    void (*potrs)(C uplo, I n, I k, const T* a, I lda, T* b, I ldb, int* info);
    void (*sytrf)(C uplo, I n, T* a, I lda, int* pivots, T* work, I lwork, int* info);
    void (*geqrf)(I m, I n, T* a, I lda, T* tau, T* work, I lwork, int* info);
    void (*orgqr)(I m, I n, I k, T* a, I lda, const T* tau, T* work, I lwork, int* info);
    void (*ormqr)(C side, C trans, I m, I n, I k, const T* a, I lda, const T* tau, T* c, I ldc,
                  T* work, I lwork, int* info);
    either<void(C job, C uplo, I n, T* a, I lda, R* w, T* work, I lwork, int* info),
           void(C job, C uplo, I n, T* a, I lda, R* w, T* work, I lwork, R* rwork, int* info)>
        syev;
    either<void(C jobvl, C jobvr, I n, T* a, I lda, T* wr, T* wi, T* vl, I ldvl, T* vr, I ldvr,
                T* work, I lwork, int* info),
           void(C jobvl, C jobvr, I n, T* a, I lda, T* w, T* vl, I ldvl, T* vr, I ldvr, T* work,
                I lwork, R* rwork, int* info)>
        geev;
    either<void(C jobu, C jobvt, I m, I n, T* a, I lda, R* s, T* u, I ldu, T* vt, I ldvt, T* work,
                I lwork, int* info),
           void(C jobu, C jobvt, I m, I n, T* a, I lda, R* s, T* u, I ldu, T* vt, I ldvt, T* work,
                I lwork, R* rwork, int* info)>
        gesvd;

    /// Returns null if the host has none.
    static const host_lapack* get();
};

/// Restricts the calling thread's calls to one thread.
void use_one_thread();

}  // namespace gpu_emulator
