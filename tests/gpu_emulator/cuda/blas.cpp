// The part of cuBLAS that is loaded, with the types of its header as integers and pointers.
#include "core/linalg/linear_algebra.hpp"
#include "exported.hpp"

using namespace gpu_emulator;
using library::batch;

namespace {

int code(library::status s) {
    switch (s) {
        case library::status::done: return 0;
        case library::status::no_handle: return 1;
        case library::status::no_memory: return 3;
        case library::status::invalid: return 7;
        case library::status::not_supported: return 15;
        default: return 13;
    }
}

/// Returns the letter of a cublasOperation_t or a similar enumerator; 0 if there is none.
char operation(int o) { return o == 0 ? 'N' : o == 1 ? 'T' : o == 2 ? 'C' : 0; }
char fill(int f) { return f == 0 ? 'L' : f == 1 ? 'U' : 0; }
char side(int s) { return s == 0 ? 'L' : s == 1 ? 'R' : 0; }
char diagonal(int d) { return d == 0 ? 'N' : d == 1 ? 'U' : 0; }

/// CUBLAS_STATUS_INVALID_VALUE, for an unknown enumerator.
constexpr int invalid = 7;

/// cudaDataType, and its cublasComputeType_t.
bool element_of(int type, library::element& e, int& compute) {
    constexpr int f32 = 68, f64 = 70;
    switch (type) {
        case 0: e = library::element::f32, compute = f32; return true;
        case 1: e = library::element::f64, compute = f64; return true;
        case 2: e = library::element::half, compute = f32; return true;
        case 4: e = library::element::c32, compute = f32; return true;
        case 5: e = library::element::c64, compute = f64; return true;
        case 14: e = library::element::bfloat16, compute = f32; return true;
        default: return false;
    }
}

/// Returns true if a factor, in the type of the sums, equals `number` (1 or 0).
bool is_number(const void* p, int compute, double number) {
    return compute == 70 ? *static_cast<const double*>(p) == number
                         : *static_cast<const float*>(p) == static_cast<float>(number);
}

}  // namespace

EXPORTED int cublasGetProperty(int which, int* value) {
    *value = which == 0 ? 13 : 0;
    return 0;
}

EXPORTED int cublasCreate_v2(void** handle) { return code(library::create(handle)); }

EXPORTED int cublasSetStream_v2(void* handle, void* stream) {
    // As in the library: the workspace was for the previous stream.
    if (const int failed = code(library::set_workspace(handle, nullptr, 0))) return failed;
    return code(library::set_stream(handle, stream));
}

EXPORTED int cublasSetWorkspace_v2(void* handle, void* memory, std::size_t bytes) {
    if (reinterpret_cast<std::uintptr_t>(memory) % 256 != 0) return invalid;
    return code(library::set_workspace(handle, memory, bytes));
}

EXPORTED int cublasSetMathMode(void* handle, int mode) {
    if (!library::find(handle)) return 1;
    return mode == 0 || mode == 2 || mode == 16 ? 0 : invalid;
}

EXPORTED int cublasGemmStridedBatchedEx(void* handle, int transa, int transb, int m, int n, int k,
                                        const void* alpha, const void* a, int atype, int lda,
                                        long long stridea, const void* b, int btype, int ldb,
                                        long long strideb, const void* beta, void* c, int ctype,
                                        int ldc, long long stridec, int count, int compute_type,
                                        int algorithm) {
    library::element e{};
    int compute = 0;
    constexpr int not_supported = 15;
    if (!element_of(atype, e, compute) || btype != atype || ctype != atype ||
        compute_type != compute)
        return not_supported;
    if (!operation(transa) || !operation(transb) || algorithm != -1) return invalid;
    if (!is_number(alpha, compute, 1) || !is_number(beta, compute, 0)) return not_supported;
    return code(library::gemm(handle, e, m, n, k, {operation(transa), a, lda, stridea},
                              {operation(transb), b, ldb, strideb}, c, ldc, stridec, count));
}

#define CUBLAS_FUNCTIONS(L, T)                                                                     \
    EXPORTED int cublas##L##trsm_v2(void* handle, int sides, int uplo, int trans, int diag, int m, \
                                    int n, const T* alpha, const T* a, int lda, T* b, int ldb) {   \
        if (!side(sides) || !fill(uplo) || !operation(trans) || !diagonal(diag)) return invalid;   \
        return code(library::trsm<T>(handle, side(sides), fill(uplo), operation(trans),            \
                                     diagonal(diag), m, n, *alpha, batch<T>::one(a), lda,          \
                                     batch<T>::one(b), ldb, 1));                                   \
    }                                                                                              \
    EXPORTED int cublas##L##trsmBatched(void* handle, int sides, int uplo, int trans, int diag,    \
                                        int m, int n, const T* alpha, const T* const* a, int lda,  \
                                        T* const* b, int ldb, int count) {                         \
        if (!side(sides) || !fill(uplo) || !operation(trans) || !diagonal(diag)) return invalid;   \
        return code(library::trsm<T>(handle, side(sides), fill(uplo), operation(trans),            \
                                     diagonal(diag), m, n, *alpha, batch<T>::at(a), lda,           \
                                     batch<T>::at(b), ldb, count));                                \
    }                                                                                              \
    EXPORTED int cublas##L##getrfBatched(void* handle, int n, T* const* a, int lda, int* pivots,   \
                                         int* info, int count) {                                   \
        return code(library::getrf<T>(handle, n, n, batch<T>::at(a), lda,                          \
                                      batch<int>::steps(pivots, n), batch<int>::steps(info, 1),    \
                                      count));                                                     \
    }                                                                                              \
    EXPORTED int cublas##L##geqrfBatched(void* handle, int m, int n, T* const* a, int lda,         \
                                         T* const* tau, int* info, int count) {                    \
        *info = 0;                                                                                 \
        return code(                                                                               \
            library::geqrf<T>(handle, m, n, batch<T>::at(a), lda, batch<T>::at(tau), count));      \
    }                                                                                              \
    EXPORTED int cublas##L##getrsBatched(void* handle, int trans, int n, int k, const T* const* a, \
                                         int lda, const int* pivots, T* const* b, int ldb,         \
                                         int* info, int count) {                                   \
        if (!operation(trans)) return invalid;                                                     \
        *info = 0;                                                                                 \
        return code(library::getrs<T>(handle, operation(trans), n, k, batch<T>::at(a), lda,        \
                                      batch<int>::steps(pivots, n), batch<T>::at(b), ldb, count)); \
    }

CUBLAS_FUNCTIONS(S, float)
CUBLAS_FUNCTIONS(D, double)
CUBLAS_FUNCTIONS(C, std::complex<float>)
CUBLAS_FUNCTIONS(Z, std::complex<double>)
