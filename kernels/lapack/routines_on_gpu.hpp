// The `on_gpu` of routines.hpp, by cuSOLVER and cuBLAS or rocSOLVER and rocBLAS; sytrs by a kernel.
// Routines that no vendor has (potri, gels) have none. A vendor may lack geev.
#pragma once

#include "kernels/lapack/routines.hpp"

namespace sinter::lapack {

bool getrf_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool getrs_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool getri_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool potrf_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool potrs_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool sytrf_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool sytrs_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool trsm_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool geqrf_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool orgqr_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool ormqr_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool gesdd_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool geev_on_gpu(const routine_call& c, runtime::gpu_stream& s);
bool syevd_on_gpu(const routine_call& c, runtime::gpu_stream& s);

}  // namespace sinter::lapack
