// Conjugates of complex tensors, and who can do without them: a product takes its operands
// conjugated.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::front {

/// A pending conjugate.
Tensor conjugate(const TensorImpl& z);

/// Whether what the leaf reads is a pending conjugate and nothing else; then the leaf reads now
/// what that was to conjugate. Its strides remain unless `any_layout`.
bool take_conjugate(leaf& l, bool any_layout);

}  // namespace sinter::front
