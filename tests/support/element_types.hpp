// The element types that the tests know, and which of their bits are NaN.
#pragma once

#include "jit/interpret/kernel_call_data.hpp"

#include <sinter/dtype.hpp>

#include <cstdint>

namespace sinter::testing {

inline constexpr ScalarType all_types[] = {kByte, kChar,     kShort, kInt,    kLong,
                                           kHalf, kBFloat16, kFloat, kDouble, kBool};

using kernel_ir::is_nan;

}  // namespace sinter::testing
