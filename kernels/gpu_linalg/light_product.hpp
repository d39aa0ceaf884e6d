// Products by cuBLASLt, which can add a bias as an epilogue.
#pragma once

#include "kernels/gpu_linalg/cuda_libraries.hpp"

namespace sinter::gpu_linalg {

/// Returns the cuBLASLt that belongs to the loaded cuBLAS, or null.
const cublaslt_table* light_library();

/// Puts the product. Returns false, with nothing put, if there is no cuBLASLt or it has no
/// algorithm. It takes all products of Float and Double, so that those with and without a bias get
/// the same algorithm and the same bits: the bias is added to the sum, as a separate addition would
/// add it. For Half and BFloat16 the bias is added before rounding, and only products with a bias
/// are taken.
///
/// CUBLASLT_EPILOGUE_RELU is not used: its formula, max(x, 0), leaves NaN open, and it is known to
/// turn NaN into 0. GELU is not used, because it is not documented to be one of our two formulas.
bool put_light(const cublas_session& on, const gemm_call& g);

}  // namespace sinter::gpu_linalg
