// Products of matrices on a GPU, by cuBLAS or rocBLAS.
#pragma once

#include "kernels/kernel_op.hpp"
#include "runtime/device/gpu.hpp"

namespace sinter::blas {

/// The `on_gpu` of matmul_op and its kin (kernels/linalg/product.hpp). Half and BFloat16 are summed
/// in float and rounded once. Integers are multiplied by a hand-written kernel.
bool product_on_gpu(const op_call& call, runtime::gpu_stream& s);

/// Returns true if products of this dtype may take a bias on this device. False for a GPU that is
/// not here; its products would have the kernel that adds a bias all the same.
bool adds_bias(ScalarType dtype, const runtime::gpu& g);

/// Puts the product plus `bias`, which has an element of the call's dtype for each column, `stride`
/// elements apart, and is added to each row. Half and BFloat16 are rounded after that. Float and
/// Double have the bits of a product followed by a sum. Returns false, with nothing put, if no
/// algorithm does it.
bool product_with_bias_on_gpu(const op_call& call, const char* bias, int64_t stride,
                              runtime::gpu_stream& s);

}  // namespace sinter::blas
