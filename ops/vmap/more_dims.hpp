// Hand-written kernels that work over any dimensions.
#pragma once

#include "ops/vmap/recorded.hpp"

namespace sinter::ops {

/// Returns the attributes with which the kernel of a library node does the same for all indices of
/// one more leading dimension of its operands and its result; null if it cannot.
attributes_ptr with_leading_dim(const recorded_work& w);

}  // namespace sinter::ops
