// The dtype of floating results if no operand is floating.
#pragma once

#include <sinter/dtype.hpp>

namespace sinter {

/// Returns the default dtype, or Float if the program chose a non-floating one.
inline ScalarType default_floating() {
    const ScalarType chosen = get_default_dtype();
    return isFloatingType(chosen) ? chosen : kFloat;
}

}  // namespace sinter
