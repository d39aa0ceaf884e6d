// The part of cuSOLVER that is loaded. A call's workspace must be as large as the query returned,
// and is overwritten.
#include "core/linalg/linear_algebra.hpp"
#include "exported.hpp"

using namespace gpu_emulator;
using library::batch;

namespace {

constexpr int invalid = 3;

int code(library::status s) {
    switch (s) {
        case library::status::done: return 0;
        case library::status::no_handle: return 1;
        case library::status::no_memory: return 2;
        case library::status::invalid: return invalid;
        case library::status::not_supported: return 9;
        default: return 6;
    }
}

char operation(int o) { return o == 0 ? 'N' : o == 1 ? 'T' : o == 2 ? 'C' : 0; }
char fill(int f) { return f == 0 ? 'L' : f == 1 ? 'U' : 0; }
char side(int s) { return s == 0 ? 'L' : s == 1 ? 'R' : 0; }

int work_for(int m, int n) { return 16 + 2 * std::max(m, n); }

int answer(void* handle, int m, int n, int* size) {
    if (!library::find(handle)) return 1;
    if (m < 0 || n < 0) return invalid;
    *size = work_for(m, n);
    return 0;
}

/// Overwrites a workspace, in the stream's order; returns an error code if it is too small.
template <class T>
int use(void* handle, T* work, int size, int m, int n) {
    if (size < work_for(m, n)) return invalid;
    library::uses u(1);
    u.memory(work, size);
    return code(u.submit(handle, "a workspace", true, [=](int) {
        std::memset(static_cast<void*>(library::host(work)), 0x5a,
                    static_cast<std::size_t>(size) * sizeof(T));
    }));
}

/// Sets the info of a call that can only fail on arguments.
int put_zero(void* handle, int* info) {
    library::uses u(1);
    u.memory(info, 1);
    return code(u.submit(handle, "info", true, [=](int) { *library::host(info) = 0; }));
}

#define RETURN_FAILED(call) \
    if (const int failed = (call)) return failed

}  // namespace

EXPORTED int cusolverGetProperty(int which, int* value) {
    *value = which == 0 ? 12 : 0;
    return 0;
}
EXPORTED int cusolverDnCreate(void** handle) { return code(library::create(handle)); }
EXPORTED int cusolverDnSetStream(void* handle, void* stream) {
    return code(library::set_stream(handle, stream));
}

#define CUSOLVER_FUNCTIONS(L, T, R, ORGQR, ORMQR, SYEVD)                                           \
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

CUSOLVER_FUNCTIONS(S, float, float, Sorgqr, Sormqr, Ssyevd)
CUSOLVER_FUNCTIONS(D, double, double, Dorgqr, Dormqr, Dsyevd)
CUSOLVER_FUNCTIONS(C, std::complex<float>, float, Cungqr, Cunmqr, Cheevd)
CUSOLVER_FUNCTIONS(Z, std::complex<double>, double, Zungqr, Zunmqr, Zheevd)
