// Division of many vectors by what is the same for all of them, without the divider: its results,
// bit for bit.
#pragma once

#include "jit/codegen/llvm/emit_lanes.hpp"

namespace sinter::codegen {

/// The dividends, vectors all, over `divisor`, a vector or one number.
///
/// y, the reciprocal rounded to nearest, is high + low to twice the precision, high the largest
/// number not above it. q = high x + low x is then a neighbour of the quotient; from there
/// q - (q d - x) y rounds to the quotient's nearest (Markstein), where nothing underflows: x - q d
/// must be exact. Zeros keep their sign, as low is not negative. What is out of range, and every
/// NaN, is divided.
lane_emitter::values emit_quotients(llvm::IRBuilder<>& b, lane_emitter& lanes,
                                    const lane_emitter::values& dividends, llvm::Value* divisor);

}  // namespace sinter::codegen
