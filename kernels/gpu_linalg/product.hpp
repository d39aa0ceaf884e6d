// Products of matrices on a GPU, by cuBLAS or rocBLAS.
#pragma once

#include "kernels/kernel_op.hpp"
#include "runtime/device/gpu.hpp"

namespace sinter::gpu_linalg {

/// What matmul_op and its kin do (kernels/linalg/product.hpp), as their `on_gpu`. Half and
/// BFloat16 are summed in float and rounded once; integers are multiplied by a kernel of our own.
bool product_on_gpu(const op_call& call, runtime::gpu_stream& s);

/// Whether products of this dtype may take a bias along on this device.
bool adds_bias(ScalarType dtype, const runtime::gpu& g);

/// The same with `bias`, which has an element of the call's dtype for each column, a stride of
/// elements apart, added to each row: Half and BFloat16 are rounded behind that. Float and Double
/// get the bits of a product and a sum. False, with nothing of it put, where no algorithm does it.
bool product_with_bias_on_gpu(const op_call& call, const char* bias, int64_t stride,
                              runtime::gpu_stream& s);

}  // namespace sinter::gpu_linalg
