// Reading through indices. The operations are opaque because the loads of a generated kernel are
// affine, and an index is a value.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::index_kernels {

/// inputs: the indexed tensor, then indices (Long) over the result's sizes. Attributes: layout.
extern const kernel_op gather_op, take_along_dim_op, take_op, index_op, index_select_op;

}  // namespace sinter::index_kernels
