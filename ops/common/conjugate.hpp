// Conjugates of complex tensors. A product takes operands conjugated, so it can skip a pending
// conjugate.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::ops {

/// Returns a pending conjugate.
Tensor conjugate(const TensorImpl& z);

/// Returns true if the leaf reads a pending conjugate and nothing else; the leaf then reads the
/// operand of that conjugate. The strides of the leaf stay the same unless `any_layout`.
bool take_conjugate(leaf& l, bool any_layout);

}  // namespace sinter::ops
