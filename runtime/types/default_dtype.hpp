// The dtype of floating results where no operand is floating.
#pragma once

#include <sinter/dtype.hpp>

namespace sinter {

/// The default dtype, or Float where a program chose one that holds no fractions.
inline ScalarType default_floating() {
    const ScalarType chosen = get_default_dtype();
    return isFloatingType(chosen) ? chosen : kFloat;
}

}  // namespace sinter
