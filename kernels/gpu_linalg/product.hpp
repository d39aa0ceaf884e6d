// Products of matrices on a GPU, by cuBLAS or rocBLAS.
#pragma once

#include "jit/graph/graph.hpp"

namespace sinter::gpu_linalg {

/// What matmul_op and its kin do (kernels/linalg/product.hpp), as their `on_gpu`. Half and
/// BFloat16 are summed in float and rounded once; integers are multiplied by a kernel of our own.
bool product_on_gpu(const library_call& call, runtime::gpu_stream& s);

}  // namespace sinter::gpu_linalg
