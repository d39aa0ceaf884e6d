// Writing through indices. The operations are opaque because an index is a value, so the stores are
// not affine.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::index_kernels {

/// How an element that an index names is updated. Elements of the space are taken in row-major
/// order: among equal indices the last one is assigned, and sums have one order.
enum class put_kind : uint8_t { assign, add, prod, amax, amin };

/// Returns the operation of this name, or nullptr if there is none. inputs: the tensor to change,
/// the values over the space, then indices (Long) over it. numbers: the put_kind, then the layout.
const kernel_op* scatter_op(const char* name);

}  // namespace sinter::index_kernels
