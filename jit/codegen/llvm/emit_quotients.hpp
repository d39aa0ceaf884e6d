// Division of many vectors by a common divisor without the divider unit; the results are bit-exact.
#pragma once

#include "jit/codegen/llvm/emit_lanes.hpp"

namespace sinter::codegen {

/// Returns the dividends, all vectors, divided by `divisor`, a vector or one number.
///
/// y is the reciprocal rounded to nearest. It is high + low to twice the precision, where high is
/// the largest number not above it. q = high x + low x is then a neighbour of the quotient, and q -
/// (q d - x) y rounds to the nearest quotient (Markstein) if nothing underflows: x - q d must be
/// exact. Zeros keep their sign, as low is not negative. Operands out of range, and every NaN, use
/// a division.
lane_emitter::values emit_quotients(llvm::IRBuilder<>& b, lane_emitter& lanes,
                                    const lane_emitter::values& dividends, llvm::Value* divisor);

}  // namespace sinter::codegen
