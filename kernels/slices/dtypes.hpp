// Dispatch from a runtime dtype to a C++ type.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/error.hpp>

#include <cstdint>
#include <type_traits>

namespace sinter::rows {

/// Calls f(std::type_identity<T>()) with the storage type of the dtype.
template <class F>
void with_type(ScalarType dtype, const F& f) {
    switch (dtype) {
#define SINTER_DTYPE(type, computed, name, ...) \
    case ScalarType::name: return f(std::type_identity<type>());
#include <sinter/dtype.def>
        default: throw InternalError("[kernel] a dtype without a kernel");
    }
}

template <class T>
inline constexpr bool is_narrow = std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;
template <class T>
inline constexpr bool is_real = is_narrow<T> || std::is_floating_point_v<T>;

/// Returns the value to compute with: a float for Half and BFloat16, else x itself.
template <class T>
auto value_of(T x) {
    if constexpr (is_narrow<T>)
        return static_cast<float>(x);
    else
        return x;
}
template <class T>
bool is_nan(T x) {
    if constexpr (is_real<T>)
        return value_of(x) != value_of(x);
    else
        return false;
}

}  // namespace sinter::rows
