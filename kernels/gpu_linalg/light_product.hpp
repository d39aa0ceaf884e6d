// Products by cuBLASLt, which can add a bias on the way.
#pragma once

#include "kernels/gpu_linalg/gemm_call.hpp"
#include "kernels/gpu_linalg/session.hpp"

namespace sinter::gpu_linalg {

/// cuBLASLt, where there is one for the cuBLAS that there is; null.
const cublaslt_table* light_library();

/// Puts the product, or returns false with nothing put where there is no cuBLASLt, or it has no
/// algorithm. It takes products of Float and Double, so that one with a bias and one alone get
/// the same algorithm, and the same bits: the bias is added to the sum, as it would be behind it.
/// Of Half and BFloat16, where the bias is added before rounding, it has those with a bias.
///
/// CUBLASLT_EPILOGUE_RELU is not used: its formula, max(x, 0), says nothing of NaN, and it is known
/// to make 0 of it; nor GELU, which is not said to be one of our two formulas.
bool put_light(const cublas_session& on, const gemm_call& g);

}  // namespace sinter::gpu_linalg
