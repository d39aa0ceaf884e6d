// cuBLAS, cuBLASLt and cuSOLVER: tables of functions, which return 0 or an error code, and
// sessions.
#pragma once

#include "kernels/gpu_linalg/gpu_libraries.hpp"

#include <cstddef>
#include <cstdint>

namespace sinter::gpu_linalg {

#define SINTER_CUBLAS_FUNCTIONS(X)                                                             \
    X(property, "cublasGetProperty", int(int, int*))                                           \
    X(create, "cublasCreate_v2", int(void**))                                                  \
    X(set_stream, "cublasSetStream_v2", int(void*, void*))                                     \
    X(set_workspace, "cublasSetWorkspace_v2", int(void*, void*, std::size_t))                  \
    X(set_math_mode, "cublasSetMathMode", int(void*, int))                                     \
    X(gemm, "cublasGemmStridedBatchedEx",                                                      \
      int(void*, int, int, int, int, int, const void*, const void*, int, int, long long,       \
          const void*, int, int, long long, const void*, void*, int, int, long long, int, int, \
          int))

#define SINTER_CUBLAS_TYPED(X)                                                                 \
    X(trsm, "cublas?trsm_v2", nullptr,                                                         \
      int(void*, int, int, int, int, int, int, const T*, const T*, int, T*, int))              \
    X(trsm_batched, "cublas?trsmBatched", nullptr,                                             \
      int(void*, int, int, int, int, int, int, const T*, const T* const*, int, T* const*, int, \
          int))                                                                                \
    X(getrf_batched, "cublas?getrfBatched", nullptr,                                           \
      int(void*, int, T* const*, int, int*, int*, int))                                        \
    X(getrs_batched, "cublas?getrsBatched", nullptr,                                           \
      int(void*, int, int, int, const T* const*, int, const int*, T* const*, int, int*, int))  \
    X(geqrf_batched, "cublas?geqrfBatched", nullptr,                                           \
      int(void*, int, int, T* const*, int, T* const*, int*, int))

/// Descriptors are created empty; attributes are set one by one.
#define SINTER_CUBLASLT_FUNCTIONS(X)                                                              \
    X(property, "cublasLtGetProperty", int(int, int*))                                            \
    X(make_operation, "cublasLtMatmulDescCreate", int(void**, int, int))                          \
    X(drop_operation, "cublasLtMatmulDescDestroy", int(void*))                                    \
    X(set_operation, "cublasLtMatmulDescSetAttribute", int(void*, int, const void*, std::size_t)) \
    X(make_layout, "cublasLtMatrixLayoutCreate",                                                  \
      int(void**, int, std::uint64_t, std::uint64_t, std::int64_t))                               \
    X(drop_layout, "cublasLtMatrixLayoutDestroy", int(void*))                                     \
    X(set_layout, "cublasLtMatrixLayoutSetAttribute", int(void*, int, const void*, std::size_t))  \
    X(make_preference, "cublasLtMatmulPreferenceCreate", int(void**))                             \
    X(drop_preference, "cublasLtMatmulPreferenceDestroy", int(void*))                             \
    X(set_preference, "cublasLtMatmulPreferenceSetAttribute",                                     \
      int(void*, int, const void*, std::size_t))                                                  \
    X(find_algorithm, "cublasLtMatmulAlgoGetHeuristic",                                           \
      int(void*, void*, void*, void*, void*, void*, void*, int, cublaslt_answer*, int*))          \
    X(check_algorithm, "cublasLtMatmulAlgoCheck",                                                 \
      int(void*, void*, void*, void*, void*, void*, const cublaslt_algorithm*, cublaslt_answer*)) \
    X(multiply, "cublasLtMatmul",                                                                 \
      int(void*, void*, const void*, const void*, void*, const void*, void*, const void*,         \
          const void*, void*, void*, void*, const cublaslt_algorithm*, void*, std::size_t, void*))

#define SINTER_CUSOLVER_FUNCTIONS(X)                          \
    X(property, "cusolverGetProperty", int(int, int*))        \
    X(create, "cusolverDnCreate", int(void**))                \
    X(set_stream, "cusolverDnSetStream", int(void*, void*))   \
    X(make_syevj, "cusolverDnCreateSyevjInfo", int(void**))   \
    X(drop_syevj, "cusolverDnDestroySyevjInfo", int(void*))   \
    X(make_gesvdj, "cusolverDnCreateGesvdjInfo", int(void**)) \
    X(drop_gesvdj, "cusolverDnDestroyGesvdjInfo", int(void*))

/// The 64-bit interface, for routines that the other one lacks: syevBatched since CUDA 12.6 Update
/// 2, geev since 12.8. Dtypes are arguments, and some work is done in host memory.
#define SINTER_CUSOLVER_NEWER(X)                                                                 \
    X(make_parameters, "cusolverDnCreateParams", int(void**))                                    \
    X(drop_parameters, "cusolverDnDestroyParams", int(void*))                                    \
    X(syev_batched_size, "cusolverDnXsyevBatched_bufferSize",                                    \
      int(void*, void*, int, int, int64_t, int, const void*, int64_t, int, const void*, int,     \
          std::size_t*, std::size_t*, int64_t))                                                  \
    X(syev_batched, "cusolverDnXsyevBatched",                                                    \
      int(void*, void*, int, int, int64_t, int, void*, int64_t, int, void*, int, void*,          \
          std::size_t, void*, std::size_t, int*, int64_t))                                       \
    X(geev_size, "cusolverDnXgeev_bufferSize",                                                   \
      int(void*, void*, int, int, int64_t, int, const void*, int64_t, int, const void*, int,     \
          const void*, int64_t, int, const void*, int64_t, int, std::size_t*, std::size_t*))     \
    X(geev, "cusolverDnXgeev",                                                                   \
      int(void*, void*, int, int, int64_t, int, void*, int64_t, int, void*, int, void*, int64_t, \
          int, void*, int64_t, int, void*, std::size_t, void*, std::size_t, int*))

#define SINTER_CUSOLVER_TYPED(X)                                                                   \
    X(getrf_size, "cusolverDn?getrf_bufferSize", nullptr, int(void*, int, int, T*, int, int*))     \
    X(getrf, "cusolverDn?getrf", nullptr, int(void*, int, int, T*, int, T*, int*, int*))           \
    X(getrs, "cusolverDn?getrs", nullptr,                                                          \
      int(void*, int, int, int, const T*, int, const int*, T*, int, int*))                         \
    X(potrf_size, "cusolverDn?potrf_bufferSize", nullptr, int(void*, int, int, T*, int, int*))     \
    X(potrf, "cusolverDn?potrf", nullptr, int(void*, int, int, T*, int, T*, int, int*))            \
    X(potrf_batched, "cusolverDn?potrfBatched", nullptr,                                           \
      int(void*, int, int, T**, int, int*, int))                                                   \
    X(potrs, "cusolverDn?potrs", nullptr, int(void*, int, int, int, const T*, int, T*, int, int*)) \
    X(sytrf_size, "cusolverDn?sytrf_bufferSize", nullptr, int(void*, int, T*, int, int*))          \
    X(sytrf, "cusolverDn?sytrf", nullptr, int(void*, int, int, T*, int, int*, T*, int, int*))      \
    X(geqrf_size, "cusolverDn?geqrf_bufferSize", nullptr, int(void*, int, int, T*, int, int*))     \
    X(geqrf, "cusolverDn?geqrf", nullptr, int(void*, int, int, T*, int, T*, T*, int, int*))        \
    X(orgqr_size, "cusolverDn?orgqr_bufferSize", "cusolverDn?ungqr_bufferSize",                    \
      int(void*, int, int, int, const T*, int, const T*, int*))                                    \
    X(orgqr, "cusolverDn?orgqr", "cusolverDn?ungqr",                                               \
      int(void*, int, int, int, T*, int, const T*, T*, int, int*))                                 \
    X(ormqr_size, "cusolverDn?ormqr_bufferSize", "cusolverDn?unmqr_bufferSize",                    \
      int(void*, int, int, int, int, int, const T*, int, const T*, const T*, int, int*))           \
    X(ormqr, "cusolverDn?ormqr", "cusolverDn?unmqr",                                               \
      int(void*, int, int, int, int, int, const T*, int, const T*, T*, int, T*, int, int*))        \
    X(syevd_size, "cusolverDn?syevd_bufferSize", "cusolverDn?heevd_bufferSize",                    \
      int(void*, int, int, int, const T*, int, const R*, int*))                                    \
    X(syevd, "cusolverDn?syevd", "cusolverDn?heevd",                                               \
      int(void*, int, int, int, T*, int, R*, T*, int, int*))                                       \
    X(syevj_batched_size, "cusolverDn?syevjBatched_bufferSize",                                    \
      "cusolverDn?heevjBatched_bufferSize",                                                        \
      int(void*, int, int, int, const T*, int, const R*, int*, void*, int))                        \
    X(syevj_batched, "cusolverDn?syevjBatched", "cusolverDn?heevjBatched",                         \
      int(void*, int, int, int, T*, int, R*, T*, int, int*, void*, int))                           \
    X(gesvdj_batched_size, "cusolverDn?gesvdjBatched_bufferSize", nullptr,                         \
      int(void*, int, int, int, const T*, int, const R*, const T*, int, const T*, int, int*,       \
          void*, int))                                                                             \
    X(gesvdj_batched, "cusolverDn?gesvdjBatched", nullptr,                                         \
      int(void*, int, int, int, T*, int, R*, T*, int, T*, int, T*, int, int*, void*, int))         \
    X(gesvd_size, "cusolverDn?gesvd_bufferSize", nullptr, int(void*, int, int, int*))              \
    X(gesvd, "cusolverDn?gesvd", nullptr,                                                          \
      int(void*, signed char, signed char, int, int, T*, int, R*, T*, int, T*, int, T*, int, R*,   \
          int*))

SINTER_GPU_LIBRARY(cublas, SINTER_CUBLAS_FUNCTIONS, SINTER_GPU_NO_NEWER_FUNCTIONS,
                   SINTER_CUBLAS_TYPED, true)
SINTER_GPU_LIBRARY(cusolver, SINTER_CUSOLVER_FUNCTIONS, SINTER_CUSOLVER_NEWER,
                   SINTER_CUSOLVER_TYPED, true)

struct cublaslt_algorithm {
    std::uint64_t data[8];
};

/// cublasLtMatmulHeuristicResult_t.
struct cublaslt_answer {
    cublaslt_algorithm algorithm;
    std::size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

struct cublaslt_functions {
    SINTER_GPU_FUNCTIONS(SINTER_CUBLASLT_FUNCTIONS)
};

/// It is called with cuBLAS handles, so it must be of the same version; otherwise it is not used.
struct cublaslt_table : cublaslt_functions {
    static const library_words words;
    std::string version() const;
};

/// The constructor throws `refused` if there is no cuBLAS.
class cublas_session final : public gemm_session {
public:
    cublas_session(const char* op, runtime::gpu_stream& s);
    const cublas_table& f() const { return table_; }
    const scratch& workspace() const { return workspace_; }
    void check(const char* function, int code) const;
    void put(const gemm_call& g) const override;

private:
    const cublas_table& table_;
    scratch workspace_;
};

class cusolver_session final : public session {
public:
    cusolver_session(const char* op, runtime::gpu_stream& s);
    const cusolver_table& f() const { return table_; }
    void check(const char* function, int code) const;

private:
    const cusolver_table& table_;
};

/// Returns CUBLAS_COMPUTE_64F or _32F, which use no narrower formats internally.
inline int cuda_sums(const factors& f) { return f.wide ? 70 : 68; }

extern const solver_makers cuda_solvers;

}  // namespace sinter::gpu_linalg
