// The part of cuSOLVER that is loaded, but for its 64-bit interface.
#include "core/linalg/ldl.hpp"
#include "cuda/solver.hpp"

using namespace cuda_solver;

namespace {

int make(void** to) {
    *to = new parameters;
    return 0;
}
/// Not freed: a call with dropped parameters must find them dropped.
int drop(void* p) {
    if (!is_living(p)) return invalid;
    static_cast<parameters*>(p)->state = 0;
    return 0;
}

/// gesvdjBatched takes no larger matrices.
constexpr int largest_in_jacobi = 32;

int answer_batch(void* handle, int m, int n, const void* with, int count, int* size) {
    if (!is_living(with) || count < 1) return invalid;
    RETURN_FAILED(answer(handle, m, n, size));
    *size *= count;
    return 0;
}
template <class T>
int use_batch(void* handle, T* work, int size, int m, int n, const void* with, int count) {
    if (!is_living(with) || count < 1 || size < work_for(m, n) * count) return invalid;
    return use(handle, work, size, m, n);
}

/// The factors of gesvdjBatched: all columns of U and of V, which is not transposed.
template <class T, class R = typename parts<T>::real>
int gesvdj(void* h, bool vectors, int m, int n, T* a, int lda, R* s, T* u, int ldu, T* v, int ldv,
           int* info, int count) {
    const char job = vectors ? 'A' : 'N';
    const auto step = [](int ld, int cols) { return int64_t{ld} * cols; };
    const batch<T> of_v = batch<T>::steps(v, step(ldv, n));
    RETURN_FAILED(
        code(library::gesvd<T>(h, job, job, m, n, batch<T>::steps(a, step(lda, n)), lda,
                               batch<R>::steps(s, std::min(m, n)), batch<T>::steps(u, step(ldu, m)),
                               ldu, of_v, ldv, batch<int>::steps(info, 1), count)));
    library::uses turned(count);
    turned.operand(of_v, library::matrix_size(n, n, ldv));
    if (!vectors) {  // it needs the memory all the same
        const batch<T> of_u = batch<T>::steps(u, step(ldu, m));
        turned.operand(of_u, library::matrix_size(m, m, ldu));
        return code(turned.submit(h, "unwanted factors", true, [=](int i) {
            library::host(of_u[i])[0] = library::host(of_v[i])[0] = T(0x5a);
        }));
    }
    return code(turned.submit(h, "adjoint", true, [=](int i) {
        T* const x = library::host(of_v[i]);
        for (int r = 0; r < n; ++r)
            for (int c = 0; c <= r; ++c) {
                T &low = x[int64_t{c} * ldv + r], &high = x[int64_t{r} * ldv + c];
                std::swap(low, high);
                if constexpr (parts<T>::complex) {
                    low = std::conj(low);
                    if (r != c) high = std::conj(high);
                }
            }
    }));
}

}  // namespace

EXPORTED int cusolverGetProperty(int which, int* value) {
    *value = which == 0 ? 12 : 0;
    return 0;
}
EXPORTED int cusolverDnCreate(void** handle) { return code(library::create(handle)); }
EXPORTED int cusolverDnSetStream(void* handle, void* stream) {
    return code(library::set_stream(handle, stream));
}

EXPORTED int cusolverDnCreateSyevjInfo(void** made) { return make(made); }
EXPORTED int cusolverDnDestroySyevjInfo(void* p) { return drop(p); }
EXPORTED int cusolverDnCreateGesvdjInfo(void** made) { return make(made); }
EXPORTED int cusolverDnDestroyGesvdjInfo(void* p) { return drop(p); }
EXPORTED int cusolverDnCreateParams(void** made) { return make(made); }
EXPORTED int cusolverDnDestroyParams(void* p) { return drop(p); }

#define CUSOLVER_FUNCTIONS(L, T, R, ORGQR, ORMQR, SYEVD, SYEVJ)                                    \
    EXPORTED int cusolverDn##L##sytrf_bufferSize(void* h, int n, T*, int, int* size) {             \
        return answer(h, n, n, size);                                                              \
    }                                                                                              \
    EXPORTED int cusolverDn##L##sytrf(void* h, int uplo, int n, T* a, int lda, int* pivots,        \
                                      T* work, int size, int* info) {                              \
        if (!fill(uplo)) return invalid;                                                           \
        RETURN_FAILED(use(h, work, size, n, n));                                                   \
        return code(library::sytrf<T>(h, fill(uplo), n, batch<T>::one(a), lda,                     \
                                      batch<int>::one(pivots), batch<int>::one(info), 1));         \
    }                                                                                              \
    EXPORTED int cusolverDn##SYEVJ##Batched_bufferSize(                                            \
        void* h, int, int, int n, const T*, int, const R*, int* size, void* with, int count) {     \
        return answer_batch(h, n, n, with, count, size);                                           \
    }                                                                                              \
    EXPORTED int cusolverDn##SYEVJ##Batched(void* h, int job, int uplo, int n, T* a, int lda,      \
                                            R* w, T* work, int size, int* info, void* with,        \
                                            int count) {                                           \
        if (!fill(uplo) || (job != 0 && job != 1)) return invalid;                                 \
        RETURN_FAILED(use_batch(h, work, size, n, n, with, count));                                \
        return code(library::syevd<T>(h, job == 1, fill(uplo), n,                                  \
                                      batch<T>::steps(a, int64_t{lda} * n), lda,                   \
                                      batch<R>::steps(w, n), batch<int>::steps(info, 1), count));  \
    }                                                                                              \
    EXPORTED int cusolverDn##L##gesvdjBatched_bufferSize(void* h, int, int m, int n, const T*,     \
                                                         int, const R*, const T*, int, const T*,   \
                                                         int, int* size, void* with, int count) {  \
        if (std::max(m, n) > largest_in_jacobi) return invalid;                                    \
        return answer_batch(h, m, n, with, count, size);                                           \
    }                                                                                              \
    EXPORTED int cusolverDn##L##gesvdjBatched(void* h, int job, int m, int n, T* a, int lda, R* s, \
                                              T* u, int ldu, T* v, int ldv, T* work, int size,     \
                                              int* info, void* with, int count) {                  \
        if (std::max(m, n) > largest_in_jacobi || ldu < std::max(1, m) || ldv < std::max(1, n) ||  \
            (job != 0 && job != 1))                                                                \
            return invalid;                                                                        \
        RETURN_FAILED(use_batch(h, work, size, m, n, with, count));                                \
        return gesvdj<T>(h, job == 1, m, n, a, lda, s, u, ldu, v, ldv, info, count);               \
    }                                                                                              \
    EXPORTED int cusolverDn##L##getrf_bufferSize(void* h, int m, int n, T*, int, int* size) {      \
        return answer(h, m, n, size);                                                              \
    }                                                                                              \
    EXPORTED int cusolverDn##L##getrf(void* h, int m, int n, T* a, int lda, T* work, int* pivots,  \
                                      int* info) {                                                 \
        RETURN_FAILED(use(h, work, work_for(m, n), m, n));                                         \
        return code(library::getrf<T>(h, m, n, batch<T>::one(a), lda, batch<int>::one(pivots),     \
                                      batch<int>::one(info), 1));                                  \
    }                                                                                              \
    EXPORTED int cusolverDn##L##getrs(void* h, int trans, int n, int k, const T* a, int lda,       \
                                      const int* pivots, T* b, int ldb, int* info) {               \
        if (!operation(trans)) return invalid;                                                     \
        RETURN_FAILED(put_zero(h, info));                                                          \
        return code(library::getrs<T>(h, operation(trans), n, k, batch<T>::one(a), lda,            \
                                      batch<int>::one(pivots), batch<T>::one(b), ldb, 1));         \
    }                                                                                              \
    EXPORTED int cusolverDn##L##potrf_bufferSize(void* h, int, int n, T*, int, int* size) {        \
        return answer(h, n, n, size);                                                              \
    }                                                                                              \
    EXPORTED int cusolverDn##L##potrf(void* h, int uplo, int n, T* a, int lda, T* work, int size,  \
                                      int* info) {                                                 \
        if (!fill(uplo)) return invalid;                                                           \
        RETURN_FAILED(use(h, work, size, n, n));                                                   \
        return code(                                                                               \
            library::potrf<T>(h, fill(uplo), n, batch<T>::one(a), lda, batch<int>::one(info), 1)); \
    }                                                                                              \
    EXPORTED int cusolverDn##L##potrfBatched(void* h, int uplo, int n, T** a, int lda, int* info,  \
                                             int count) {                                          \
        if (!fill(uplo)) return invalid;                                                           \
        return code(library::potrf<T>(h, fill(uplo), n, batch<T>::at(a), lda,                      \
                                      batch<int>::steps(info, 1), count));                         \
    }                                                                                              \
    EXPORTED int cusolverDn##L##potrs(void* h, int uplo, int n, int k, const T* a, int lda, T* b,  \
                                      int ldb, int* info) {                                        \
        if (!fill(uplo)) return invalid;                                                           \
        RETURN_FAILED(put_zero(h, info));                                                          \
        return code(library::potrs<T>(h, fill(uplo), n, k, batch<T>::one(a), lda,                  \
                                      batch<T>::one(b), ldb, 1));                                  \
    }                                                                                              \
    EXPORTED int cusolverDn##L##geqrf_bufferSize(void* h, int m, int n, T*, int, int* size) {      \
        return answer(h, m, n, size);                                                              \
    }                                                                                              \
    EXPORTED int cusolverDn##L##geqrf(void* h, int m, int n, T* a, int lda, T* tau, T* work,       \
                                      int size, int* info) {                                       \
        RETURN_FAILED(use(h, work, size, m, n));                                                   \
        RETURN_FAILED(put_zero(h, info));                                                          \
        return code(library::geqrf<T>(h, m, n, batch<T>::one(a), lda, batch<T>::one(tau), 1));     \
    }                                                                                              \
    EXPORTED int cusolverDn##ORGQR##_bufferSize(void* h, int m, int n, int, const T*, int,         \
                                                const T*, int* size) {                             \
        return answer(h, m, n, size);                                                              \
    }                                                                                              \
    EXPORTED int cusolverDn##ORGQR(void* h, int m, int n, int k, T* a, int lda, const T* tau,      \
                                   T* work, int size, int* info) {                                 \
        RETURN_FAILED(use(h, work, size, m, n));                                                   \
        RETURN_FAILED(put_zero(h, info));                                                          \
        return code(library::orgqr<T>(h, m, n, k, batch<T>::one(a), lda, batch<T>::one(tau)));     \
    }                                                                                              \
    EXPORTED int cusolverDn##ORMQR##_bufferSize(void* h, int, int, int m, int n, int, const T*,    \
                                                int, const T*, const T*, int, int* size) {         \
        return answer(h, m, n, size);                                                              \
    }                                                                                              \
    EXPORTED int cusolverDn##ORMQR(void* h, int sides, int trans, int m, int n, int k, const T* a, \
                                   int lda, const T* tau, T* c, int ldc, T* work, int size,        \
                                   int* info) {                                                    \
        if (!side(sides) || !operation(trans)) return invalid;                                     \
        RETURN_FAILED(use(h, work, size, m, n));                                                   \
        RETURN_FAILED(put_zero(h, info));                                                          \
        return code(library::ormqr<T>(h, side(sides), operation(trans), m, n, k, batch<T>::one(a), \
                                      lda, batch<T>::one(tau), batch<T>::one(c), ldc));            \
    }                                                                                              \
    EXPORTED int cusolverDn##SYEVD##_bufferSize(void* h, int, int, int n, const T*, int, const R*, \
                                                int* size) {                                       \
        return answer(h, n, n, size);                                                              \
    }                                                                                              \
    EXPORTED int cusolverDn##SYEVD(void* h, int job, int uplo, int n, T* a, int lda, R* w,         \
                                   T* work, int size, int* info) {                                 \
        if (!fill(uplo) || (job != 0 && job != 1)) return invalid;                                 \
        RETURN_FAILED(use(h, work, size, n, n));                                                   \
        return code(library::syevd<T>(h, job == 1, fill(uplo), n, batch<T>::one(a), lda,           \
                                      batch<R>::one(w), batch<int>::one(info), 1));                \
    }                                                                                              \
    EXPORTED int cusolverDn##L##gesvd_bufferSize(void* h, int m, int n, int* size) {               \
        return m < n ? invalid : answer(h, m, n, size);                                            \
    }                                                                                              \
    EXPORTED int cusolverDn##L##gesvd(void* h, signed char jobu, signed char jobvt, int m, int n,  \
                                      T* a, int lda, R* s, T* u, int ldu, T* vt, int ldvt,         \
                                      T* work, int size, R*, int* info) {                          \
        if (m < n || ldu < std::max(1, m) || ldvt < std::max(1, n)) return invalid;                \
        RETURN_FAILED(use(h, work, size, m, n));                                                   \
        return code(library::gesvd<T>(h, static_cast<char>(jobu), static_cast<char>(jobvt), m, n,  \
                                      batch<T>::one(a), lda, batch<R>::one(s), batch<T>::one(u),   \
                                      ldu, batch<T>::one(vt), ldvt, batch<int>::one(info), 1));    \
    }

CUSOLVER_FUNCTIONS(S, float, float, Sorgqr, Sormqr, Ssyevd, Ssyevj)
CUSOLVER_FUNCTIONS(D, double, double, Dorgqr, Dormqr, Dsyevd, Dsyevj)
CUSOLVER_FUNCTIONS(C, std::complex<float>, float, Cungqr, Cunmqr, Cheevd, Cheevj)
CUSOLVER_FUNCTIONS(Z, std::complex<double>, double, Zungqr, Zunmqr, Zheevd, Zheevj)
