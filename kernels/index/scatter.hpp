// Writing through indices. The operations are opaque because an index is a value, so the stores are
// not affine.
#pragma once

#include "kernels/index/space.hpp"

namespace sinter::index_kernels {

/// How an element that an index names is updated. Elements of the space are taken in row-major
/// order: among equal indices the last one is assigned, and sums have one order.
enum class put_kind : uint8_t { assign, add, prod, amax, amin };

struct scatter_attributes {
    put_kind kind;
    layout space;
    bool operator==(const scatter_attributes&) const = default;
};

/// Returns the operation of this name, or nullptr if there is none. inputs: the tensor to change,
/// the values over the space, then indices (Long) over it. Attributes: scatter_attributes.
const kernel_op* scatter_op(const char* name);

}  // namespace sinter::index_kernels
