// Products of integer matrices on a GPU, which the vendors' libraries lack.
#pragma once

#include "kernels/linalg/product_parts.hpp"
#include "runtime/device/stream.hpp"

namespace sinter::blas {

/// Puts a product of Byte, Char, Short, Int or Long, in any layout, on the stream. It wraps.
/// Returns false if a kernel cannot take its arguments.
bool put_integer_product(const product& p, runtime::gpu_stream& s);

}  // namespace sinter::blas
