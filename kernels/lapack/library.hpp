// LAPACK's routines by dtype, found in the BLAS library's file or in a separate one. They use
// 32-bit integers and column-major matrices. They are declared here, so no LAPACK header is needed
// to build.
#pragma once

#include "kernels/linalg/blas_library.hpp"

#include <sinter/complex.hpp>

#include <cstddef>
#include <type_traits>

namespace sinter::lapack {

template <class T>
struct scalar_traits {
    using real = T;
    static constexpr bool is_complex = false;
};
template <class T>
struct scalar_traits<complex<T>> {
    using real = T;
    static constexpr bool is_complex = true;
};
template <class T>
using real_of = typename scalar_traits<T>::real;
template <class T>
inline constexpr bool is_complex = scalar_traits<T>::is_complex;

/// Fortran passes the lengths of strings after all arguments.
using length = std::size_t;

/// T is float, double or a complex type of these. The complex routines are named un- and he- where
/// the real ones are named or- and sy-, and some take an additional workspace of reals.
template <class T>
struct routines {
    using R = real_of<T>;
    template <class OfReal, class OfComplex>
    using either = std::conditional_t<is_complex<T>, OfComplex, OfReal>*;
    using I = const int*;
    using C = const char*;

    // ---- BLAS
    void (*trsm)(C side, C uplo, C trans, C diag, I m, I n, const T* alpha, const T* a, I lda, T* b,
                 I ldb, length, length, length, length);
    // ---- systems and factors
    void (*getrf)(I m, I n, T* a, I lda, int* pivots, int* info);
    void (*getrs)(C trans, I n, I k, const T* a, I lda, I pivots, T* b, I ldb, int* info, length);
    void (*getri)(I n, T* a, I lda, I pivots, T* work, I lwork, int* info);
    void (*potrf)(C uplo, I n, T* a, I lda, int* info, length);
    void (*potri)(C uplo, I n, T* a, I lda, int* info, length);
    void (*potrs)(C uplo, I n, I k, const T* a, I lda, T* b, I ldb, int* info, length);
    void (*sytrf)(C uplo, I n, T* a, I lda, int* pivots, T* work, I lwork, int* info, length);
    void (*sytrs)(C uplo, I n, I k, const T* a, I lda, I pivots, T* b, I ldb, int* info, length);
    decltype(sytrf) hetrf;  // sytrf and sytrs for real matrices
    decltype(sytrs) hetrs;
    // ---- orthogonal factors
    void (*geqrf)(I m, I n, T* a, I lda, T* tau, T* work, I lwork, int* info);
    void (*orgqr)(I m, I n, I k, T* a, I lda, const T* tau, T* work, I lwork, int* info);
    void (*ormqr)(C side, C trans, I m, I n, I k, const T* a, I lda, const T* tau, T* c, I ldc,
                  T* work, I lwork, int* info, length, length);
    // ---- singular values and eigenvalues
    either<void(C job, I m, I n, T* a, I lda, R* s, T* u, I ldu, T* vt, I ldvt, T* work, I lwork,
                int* iwork, int* info, length),
           void(C job, I m, I n, T* a, I lda, R* s, T* u, I ldu, T* vt, I ldvt, T* work, I lwork,
                R* rwork, int* iwork, int* info, length)>
        gesdd;
    either<void(C jobu, C jobvt, I m, I n, T* a, I lda, R* s, T* u, I ldu, T* vt, I ldvt, T* work,
                I lwork, int* info, length, length),
           void(C jobu, C jobvt, I m, I n, T* a, I lda, R* s, T* u, I ldu, T* vt, I ldvt, T* work,
                I lwork, R* rwork, int* info, length, length)>
        gesvd;
    either<void(C jobvl, C jobvr, I n, T* a, I lda, T* wr, T* wi, T* vl, I ldvl, T* vr, I ldvr,
                T* work, I lwork, int* info, length, length),
           void(C jobvl, C jobvr, I n, T* a, I lda, T* w, T* vl, I ldvl, T* vr, I ldvr, T* work,
                I lwork, R* rwork, int* info, length, length)>
        geev;
    either<void(C job, C uplo, I n, T* a, I lda, R* w, T* work, I lwork, int* iwork, I liwork,
                int* info, length, length),
           void(C job, C uplo, I n, T* a, I lda, R* w, T* work, I lwork, R* rwork, I lrwork,
                int* iwork, I liwork, int* info, length, length)>
        syevd;
    // ---- least squares
    void (*gels)(C trans, I m, I n, I k, T* a, I lda, T* b, I ldb, T* work, I lwork, int* info,
                 length);
    either<void(I m, I n, I k, T* a, I lda, T* b, I ldb, int* jpvt, const R* rcond, int* rank,
                T* work, I lwork, int* info),
           void(I m, I n, I k, T* a, I lda, T* b, I ldb, int* jpvt, const R* rcond, int* rank,
                T* work, I lwork, R* rwork, int* info)>
        gelsy;
    either<void(I m, I n, I k, T* a, I lda, T* b, I ldb, R* s, const R* rcond, int* rank, T* work,
                I lwork, int* iwork, int* info),
           void(I m, I n, I k, T* a, I lda, T* b, I ldb, R* s, const R* rcond, int* rank, T* work,
                I lwork, R* rwork, int* iwork, int* info)>
        gelsd;
    either<void(I m, I n, I k, T* a, I lda, T* b, I ldb, R* s, const R* rcond, int* rank, T* work,
                I lwork, int* info),
           void(I m, I n, I k, T* a, I lda, T* b, I ldb, R* s, const R* rcond, int* rank, T* work,
                I lwork, R* rwork, int* info)>
        gelss;
};

/// Returns the process's routines, which the first call finds. Throws Error naming `what` if a
/// library, or a routine of it, is missing.
template <class T>
const routines<T>& require(const char* what);

}  // namespace sinter::lapack
