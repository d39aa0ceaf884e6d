// Special functions of two operands whose loops depend on values: opaque operations, in double.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::special_pairs {

/// Of inputs[0] and inputs[1], both of the result's sizes and dtype, a Float or Double.
extern const kernel_op igamma, igammac;
#define SINTER_SPECIAL(name) extern const kernel_op name;
#include <sinter/special_pairs.def>
#undef SINTER_SPECIAL

}  // namespace sinter::special_pairs
