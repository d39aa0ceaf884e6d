// What follows the vendors' factors L D L^T on a GPU.
#pragma once

#include "kernels/lapack/ldl.cuh"
#include "runtime/device/stream.hpp"

#include <sinter/dtype.hpp>

namespace sinter::lapack {

/// Puts the code of each matrix on the stream: the first zero block of D.
void put_ldl_info(runtime::gpu_stream& s, ScalarType dtype, const on_gpu::ldl_codes<void>& codes);

/// Puts the solution of all systems, in place, on the stream.
void put_ldl_solved(runtime::gpu_stream& s, ScalarType dtype, bool hermitian,
                    const on_gpu::ldl_systems<void>& systems);

}  // namespace sinter::lapack
