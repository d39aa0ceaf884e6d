// Elements as the numbers that kernels compute with.
#pragma once

#include "runtime/types/dtypes.hpp"

namespace sinter::rows {

/// Returns the value to compute with: a float for Half and BFloat16, else x itself.
template <class T>
auto value_of(T x) {
    if constexpr (narrow_float<T>)
        return static_cast<float>(x);
    else
        return x;
}
template <class T>
bool is_nan(T x) {
    if constexpr (floating_element<T>)
        return value_of(x) != value_of(x);
    else
        return false;
}

}  // namespace sinter::rows
