// The part of rocBLAS and rocSOLVER that is loaded, with the types of their headers as integers and
// pointers. Every call needs a small workspace, which must have been set.
#include "core/linalg/ldl.hpp"
#include "core/linalg/linear_algebra.hpp"
#include "exported.hpp"

#include <cstdio>

using namespace gpu_emulator;
using library::batch;

namespace {

enum : int {
    invalid_handle = 1,
    not_implemented = 2,
    invalid_size = 4,
    memory_error = 5,
    internal_error = 6,
    size_increased = 9,
    invalid_value = 11,
};

int code(library::status s) {
    switch (s) {
        case library::status::done: return 0;
        case library::status::no_handle: return invalid_handle;
        case library::status::no_memory: return memory_error;
        case library::status::invalid: return invalid_size;
        case library::status::not_supported: return not_implemented;
        default: return internal_error;
    }
}

char operation(int o) { return o == 111 ? 'N' : o == 112 ? 'T' : o == 113 ? 'C' : 0; }
char fill(int f) { return f == 122 ? 'L' : f == 121 ? 'U' : 0; }
char side(int s) { return s == 141 ? 'L' : s == 142 ? 'R' : 0; }
char diagonal(int d) { return d == 131 ? 'N' : d == 132 ? 'U' : 0; }
char vectors(int v) { return v == 191 ? 'A' : v == 192 ? 'S' : v == 194 ? 'N' : 0; }

bool element_of(int type, library::element& e, int& compute) {
    compute = type;
    switch (type) {
        case 151: e = library::element::f32; return true;
        case 152: e = library::element::f64; return true;
        case 154: e = library::element::c32; return true;
        case 155: e = library::element::c64; return true;
        case 150: e = library::element::half, compute = 151; return true;
        case 168: e = library::element::bfloat16, compute = 151; return true;
        default: return false;
    }
}

/// Returns true if a factor, in the type of the sums, equals `number` (1 or 0).
bool is_number(const void* p, int compute, double number) {
    const bool wide = compute == 152 || compute == 155;
    return wide ? *static_cast<const double*>(p) == number
                : *static_cast<const float*>(p) == static_cast<float>(number);
}

/// Returns what a call answers before it computes: its size if that is queried, or an error if it
/// has no workspace; 0 to continue.
int workspace(void* handle, std::size_t bytes) {
    const auto h = library::find(handle);
    if (!h) return invalid_handle;
    if (h->asking) {
        if (bytes > h->asked) h->asked = bytes;
        return size_increased;
    }
    return h->workspace_bytes < bytes ? memory_error : 0;
}

#define RETURN_FAILED(call) \
    if (const int failed = (call)) return failed

}  // namespace

EXPORTED int rocblas_get_version_string(char* text, std::size_t size) {
    return std::snprintf(text, size, "4.0.0") < static_cast<int>(size) ? 0 : invalid_size;
}
EXPORTED int rocsolver_get_version_string(char* text, std::size_t size) {
    return std::snprintf(text, size, "3.24.0") < static_cast<int>(size) ? 0 : invalid_size;
}
EXPORTED const char* rocblas_status_to_string(int status) {
    switch (status) {
        case 0: return "rocblas_status_success";
        case invalid_handle: return "rocblas_status_invalid_handle";
        case invalid_size: return "rocblas_status_invalid_size";
        case memory_error: return "rocblas_status_memory_error";
        case internal_error: return "rocblas_status_internal_error";
        default: return "rocblas_status";
    }
}
EXPORTED int rocblas_create_handle(void** handle) { return code(library::create(handle)); }
EXPORTED int rocblas_set_stream(void* handle, void* stream) {
    return code(library::set_stream(handle, stream));
}
EXPORTED int rocblas_set_workspace(void* handle, void* memory, std::size_t bytes) {
    return code(library::set_workspace(handle, memory, bytes));
}
EXPORTED int rocblas_set_atomics_mode(void* handle, int mode) {
    if (!library::find(handle)) return invalid_handle;
    return mode == 0 || mode == 1 ? 0 : invalid_value;
}
EXPORTED int rocblas_start_device_memory_size_query(void* handle) {
    const auto h = library::find(handle);
    if (!h) return invalid_handle;
    if (h->asking) return internal_error;
    h->asking = true;
    h->asked = 0;
    return 0;
}
EXPORTED int rocblas_stop_device_memory_size_query(void* handle, std::size_t* bytes) {
    const auto h = library::find(handle);
    if (!h) return invalid_handle;
    if (!h->asking) return internal_error;
    h->asking = false;
    *bytes = h->asked;
    return 0;
}

EXPORTED int rocblas_gemm_strided_batched_ex(void* handle, int transa, int transb, int m, int n,
                                             int k, const void* alpha, const void* a, int atype,
                                             int lda, int64_t stridea, const void* b, int btype,
                                             int ldb, int64_t strideb, const void* beta,
                                             const void* c, int ctype, int ldc, int64_t stridec,
                                             void* d, int dtype, int ldd, int64_t strided,
                                             int count, int compute_type, int algorithm,
                                             int32_t solution, uint32_t flags) {
    library::element e{};
    int compute = 0;
    if (!element_of(atype, e, compute) || btype != atype || ctype != atype || dtype != atype ||
        compute_type != compute || c != d || ldc != ldd || stridec != strided || algorithm != 0 ||
        solution != 0 || flags != 0)
        return not_implemented;
    if (!operation(transa) || !operation(transb)) return invalid_value;
    if (!is_number(alpha, compute, 1) || !is_number(beta, compute, 0)) return not_implemented;
    RETURN_FAILED(workspace(handle, 256));
    return code(library::gemm(handle, e, m, n, k, {operation(transa), a, lda, stridea},
                              {operation(transb), b, ldb, strideb}, d, ldd, strided, count));
}

#define ROC_FUNCTIONS(L, T, R, ORGQR, ORMQR, SYEVD)                                                \
    EXPORTED int rocblas_##L##trsm_strided_batched(                                                \
        void* h, int sides, int uplo, int trans, int diag, int m, int n, const T* alpha,           \
        const T* a, int lda, int64_t stridea, T* b, int ldb, int64_t strideb, int count) {         \
        if (!side(sides) || !fill(uplo) || !operation(trans) || !diagonal(diag))                   \
            return invalid_value;                                                                  \
        RETURN_FAILED(workspace(h, 512));                                                          \
        return code(library::trsm<T>(h, side(sides), fill(uplo), operation(trans), diagonal(diag), \
                                     m, n, *alpha, batch<T>::steps(a, stridea), lda,               \
                                     batch<T>::steps(b, strideb), ldb, count));                    \
    }                                                                                              \
    EXPORTED int rocsolver_##L##getrf_strided_batched(void* h, int m, int n, T* a, int lda,        \
                                                      int64_t stridea, int* pivots,                \
                                                      int64_t stridep, int* info, int count) {     \
        RETURN_FAILED(workspace(h, 512));                                                          \
        return code(library::getrf<T>(h, m, n, batch<T>::steps(a, stridea), lda,                   \
                                      batch<int>::steps(pivots, stridep),                          \
                                      batch<int>::steps(info, 1), count));                         \
    }                                                                                              \
    EXPORTED int rocsolver_##L##getrs_strided_batched(                                             \
        void* h, int trans, int n, int k, T* a, int lda, int64_t stridea, const int* pivots,       \
        int64_t stridep, T* b, int ldb, int64_t strideb, int count) {                              \
        if (!operation(trans)) return invalid_value;                                               \
        RETURN_FAILED(workspace(h, 512));                                                          \
        return code(library::getrs<T>(h, operation(trans), n, k, batch<T>::steps(a, stridea), lda, \
                                      batch<int>::steps(pivots, stridep),                          \
                                      batch<T>::steps(b, strideb), ldb, count));                   \
    }                                                                                              \
    EXPORTED int rocsolver_##L##potrf_strided_batched(void* h, int uplo, int n, T* a, int lda,     \
                                                      int64_t stridea, int* info, int count) {     \
        if (!fill(uplo)) return invalid_value;                                                     \
        RETURN_FAILED(workspace(h, 512));                                                          \
        return code(library::potrf<T>(h, fill(uplo), n, batch<T>::steps(a, stridea), lda,          \
                                      batch<int>::steps(info, 1), count));                         \
    }                                                                                              \
    EXPORTED int rocsolver_##L##potrs_strided_batched(void* h, int uplo, int n, int k, T* a,       \
                                                      int lda, int64_t stridea, T* b, int ldb,     \
                                                      int64_t strideb, int count) {                \
        if (!fill(uplo)) return invalid_value;                                                     \
        RETURN_FAILED(workspace(h, 512));                                                          \
        return code(library::potrs<T>(h, fill(uplo), n, k, batch<T>::steps(a, stridea), lda,       \
                                      batch<T>::steps(b, strideb), ldb, count));                   \
    }                                                                                              \
    EXPORTED int rocsolver_##L##sytrf_strided_batched(void* h, int uplo, int n, T* a, int lda,     \
                                                      int64_t stridea, int* pivots,                \
                                                      int64_t stridep, int* info, int count) {     \
        if (!fill(uplo)) return invalid_value;                                                     \
        RETURN_FAILED(workspace(h, 512));                                                          \
        return code(library::sytrf<T>(h, fill(uplo), n, batch<T>::steps(a, stridea), lda,          \
                                      batch<int>::steps(pivots, stridep),                          \
                                      batch<int>::steps(info, 1), count));                         \
    }                                                                                              \
    EXPORTED int rocsolver_##L##geqrf_strided_batched(void* h, int m, int n, T* a, int lda,        \
                                                      int64_t stridea, T* tau, int64_t stridep,    \
                                                      int count) {                                 \
        RETURN_FAILED(workspace(h, 512));                                                          \
        return code(library::geqrf<T>(h, m, n, batch<T>::steps(a, stridea), lda,                   \
                                      batch<T>::steps(tau, stridep), count));                      \
    }                                                                                              \
    EXPORTED int rocsolver_##ORGQR(void* h, int m, int n, int k, T* a, int lda, T* tau) {          \
        RETURN_FAILED(workspace(h, 512));                                                          \
        return code(library::orgqr<T>(h, m, n, k, batch<T>::one(a), lda, batch<T>::one(tau)));     \
    }                                                                                              \
    EXPORTED int rocsolver_##ORMQR(void* h, int sides, int trans, int m, int n, int k, T* a,       \
                                   int lda, T* tau, T* c, int ldc) {                               \
        if (!side(sides) || !operation(trans)) return invalid_value;                               \
        RETURN_FAILED(workspace(h, 512));                                                          \
        return code(library::ormqr<T>(h, side(sides), operation(trans), m, n, k, batch<T>::one(a), \
                                      lda, batch<T>::one(tau), batch<T>::one(c), ldc));            \
    }                                                                                              \
    EXPORTED int rocsolver_##SYEVD##_strided_batched(                                              \
        void* h, int evect, int uplo, int n, T* a, int lda, int64_t stridea, R* w,                 \
        int64_t stridew, R* e, int64_t stridee, int* info, int count) {                            \
        if (!fill(uplo) || (evect != 211 && evect != 213)) return invalid_value;                   \
        RETURN_FAILED(workspace(h, 512));                                                          \
        if (!library::are_allocated("E", {{e, static_cast<std::size_t>(n) * sizeof(R)}}))          \
            return invalid_value;                                                                  \
        static_cast<void>(stridee);                                                                \
        return code(library::syevd<T>(h, evect == 211, fill(uplo), n, batch<T>::steps(a, stridea), \
                                      lda, batch<R>::steps(w, stridew),                            \
                                      batch<int>::steps(info, 1), count));                         \
    }                                                                                              \
    EXPORTED int rocsolver_##L##gesvd_strided_batched(                                             \
        void* h, int left, int right, int m, int n, T* a, int lda, int64_t stridea, R* s,          \
        int64_t strides, T* u, int ldu, int64_t strideu, T* v, int ldv, int64_t stridev, R* e,     \
        int64_t stridee, int mode, int* info, int count) {                                         \
        if (!vectors(left) || !vectors(right) || (mode != 201 && mode != 202))                     \
            return invalid_value;                                                                  \
        RETURN_FAILED(workspace(h, 512));                                                          \
        const auto least = static_cast<std::size_t>(std::min(m, n));                               \
        if (!library::are_allocated("E", {{e, least * sizeof(R)}})) return invalid_value;          \
        static_cast<void>(stridee);                                                                \
        return code(library::gesvd<T>(                                                             \
            h, vectors(left), vectors(right), m, n, batch<T>::steps(a, stridea), lda,              \
            batch<R>::steps(s, strides), batch<T>::steps(u, strideu), ldu,                         \
            batch<T>::steps(v, stridev), ldv, batch<int>::steps(info, 1), count));                 \
    }

ROC_FUNCTIONS(s, float, float, sorgqr, sormqr, ssyevd)
ROC_FUNCTIONS(d, double, double, dorgqr, dormqr, dsyevd)
ROC_FUNCTIONS(c, std::complex<float>, float, cungqr, cunmqr, cheevd)
ROC_FUNCTIONS(z, std::complex<double>, double, zungqr, zunmqr, zheevd)
