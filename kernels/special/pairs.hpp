// Special functions of two operands, computed in double. They are opaque operations because their
// loops depend on values.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::special_pairs {

/// inputs[0] and inputs[1] have the result's sizes and dtype, Float or Double.
extern const kernel_op igamma, igammac;
#define SINTER_SPECIAL(name) extern const kernel_op name;
#include <sinter/functions/special_pairs.def>
#undef SINTER_SPECIAL

}  // namespace sinter::special_pairs
