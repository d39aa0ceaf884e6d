// Products of matrices of integers on a GPU, which vendors' libraries do not have.
#pragma once

#include "kernels/linalg/product_parts.hpp"
#include "runtime/device/stream.hpp"

namespace sinter::blas {

/// Of Byte, Char, Short, Int and Long: wraps. Any layout. False where a grid cannot have it.
bool put_integer_product(const product& p, runtime::gpu_stream& s);

}  // namespace sinter::blas
