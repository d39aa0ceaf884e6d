// Writing through indices. Opaque because an index is a value: where it writes is not affine.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::index_kernels {

/// What happens to the element that an index names. Elements of the space come in row-major order,
/// so that of equal indices the last one is assigned, and sums have one order.
enum class put_kind : uint8_t { assign, add, prod, amax, amin };

/// The operation of this name; nullptr if there is none. inputs: the tensor to change, the values
/// over the space, then indices (Long) over it. numbers: the kind of put, then layout.
const kernel_op* scatter_op(const char* name);

}  // namespace sinter::index_kernels
