// rocBLAS and rocSOLVER: tables of functions, which return rocblas_status, and the session that
// both share.
#pragma once

#include "kernels/gpu_linalg/gpu_libraries.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

namespace sinter::gpu_linalg {

#define SINTER_ROCBLAS_FUNCTIONS(X)                                                                \
    X(version_text, "rocblas_get_version_string", int(char*, std::size_t))                         \
    X(status_text, "rocblas_status_to_string", const char*(int))                                   \
    X(create, "rocblas_create_handle", int(void**))                                                \
    X(set_stream, "rocblas_set_stream", int(void*, void*))                                         \
    X(set_workspace, "rocblas_set_workspace", int(void*, void*, std::size_t))                      \
    X(set_atomics, "rocblas_set_atomics_mode", int(void*, int))                                    \
    X(start_size_query, "rocblas_start_device_memory_size_query", int(void*))                      \
    X(stop_size_query, "rocblas_stop_device_memory_size_query", int(void*, std::size_t*))          \
    X(gemm, "rocblas_gemm_strided_batched_ex",                                                     \
      int(void*, int, int, int, int, int, const void*, const void*, int, int, int64_t,             \
          const void*, int, int, int64_t, const void*, const void*, int, int, int64_t, void*, int, \
          int, int64_t, int, int, int, int32_t, uint32_t))

#define SINTER_ROCBLAS_TYPED(X)                                                                    \
    X(trsm, "rocblas_?trsm_strided_batched", nullptr,                                              \
      int(void*, int, int, int, int, int, int, const T*, const T*, int, int64_t, T*, int, int64_t, \
          int))

#define SINTER_ROCSOLVER_FUNCTIONS(X) \
    X(version_text, "rocsolver_get_version_string", int(char*, std::size_t))

#define SINTER_ROCSOLVER_TYPED(X)                                                              \
    X(getrf, "rocsolver_?getrf_strided_batched", nullptr,                                      \
      int(void*, int, int, T*, int, int64_t, int*, int64_t, int*, int))                        \
    X(getrs, "rocsolver_?getrs_strided_batched", nullptr,                                      \
      int(void*, int, int, int, T*, int, int64_t, const int*, int64_t, T*, int, int64_t, int)) \
    X(potrf, "rocsolver_?potrf_strided_batched", nullptr,                                      \
      int(void*, int, int, T*, int, int64_t, int*, int))                                       \
    X(potrs, "rocsolver_?potrs_strided_batched", nullptr,                                      \
      int(void*, int, int, int, T*, int, int64_t, T*, int, int64_t, int))                      \
    X(sytrf, "rocsolver_?sytrf_strided_batched", nullptr,                                      \
      int(void*, int, int, T*, int, int64_t, int*, int64_t, int*, int))                        \
    X(geqrf, "rocsolver_?geqrf_strided_batched", nullptr,                                      \
      int(void*, int, int, T*, int, int64_t, T*, int64_t, int))                                \
    X(orgqr, "rocsolver_?orgqr", "rocsolver_?ungqr", int(void*, int, int, int, T*, int, T*))   \
    X(ormqr, "rocsolver_?ormqr", "rocsolver_?unmqr",                                           \
      int(void*, int, int, int, int, int, T*, int, T*, T*, int))                               \
    X(syevd, "rocsolver_?syevd_strided_batched", "rocsolver_?heevd_strided_batched",           \
      int(void*, int, int, int, T*, int, int64_t, R*, int64_t, R*, int64_t, int*, int))        \
    X(gesvd, "rocsolver_?gesvd_strided_batched", nullptr,                                      \
      int(void*, int, int, int, int, T*, int, int64_t, R*, int64_t, T*, int, int64_t, T*, int, \
          int64_t, R*, int64_t, int, int*, int))

SINTER_GPU_LIBRARY(rocblas, SINTER_ROCBLAS_FUNCTIONS, SINTER_GPU_NO_NEWER_FUNCTIONS,
                   SINTER_ROCBLAS_TYPED, false)
SINTER_GPU_LIBRARY(rocsolver, SINTER_ROCSOLVER_FUNCTIONS, SINTER_GPU_NO_NEWER_FUNCTIONS,
                   SINTER_ROCSOLVER_TYPED, false)

/// For both rocBLAS and rocSOLVER.
class hip_session final : public gemm_session {
public:
    hip_session(const char* op, runtime::gpu_stream& s);
    const rocblas_table& f() const { return table_; }
    /// Throws `refused` if there is no rocSOLVER.
    const rocsolver_table& solver() const;
    /// Calls `f` with the workspace that it asks for.
    void call(const char* function, const std::function<int()>& f) const;
    void put(const gemm_call& g) const override;

private:
    const rocblas_table& table_;
};

extern const solver_makers hip_solvers;

}  // namespace sinter::gpu_linalg
