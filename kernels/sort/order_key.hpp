// Maps each element to an unsigned key with the same order, so that one integer sort serves every
// dtype. Every NaN has the largest key, and both zeros have the same key.
#pragma once

#include "kernels/slices/numbers.hpp"
#include "runtime/types/dtypes.hpp"

#include <bit>
#include <cstdint>
#include <limits>

namespace sinter::ordering {

template <class T>
inline constexpr int key_bits = 8 * static_cast<int>(sizeof(T));

/// The unsigned integer of the size of T.
template <class T>
using unsigned_of =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

/// Returns the bits of infinity, 0 for integers.
template <class T>
unsigned_of<T> infinity_bits() {
    return std::bit_cast<unsigned_of<T>>(std::numeric_limits<T>::infinity());
}

namespace detail {

/// Returns the key of a floating-point number from its bits. `exponent` is the bit pattern of
/// infinity.
template <class Bits>
Bits real_key(Bits bits, Bits exponent) {
    using number = std::make_signed_t<Bits>;
    constexpr auto sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    // As signed numbers, which vector units compare.
    const auto magnitude = static_cast<number>(bits & ~sign);
    const bool nan = magnitude > static_cast<number>(exponent);
    const Bits above = static_cast<number>(bits) < 0 ? Bits(0) - Bits(magnitude) : Bits(magnitude);
    return nan ? static_cast<Bits>(~Bits{0}) : static_cast<Bits>(sign + above);
}

}  // namespace detail

/// Returns the key, in the lowest key_bits<T> bits.
template <class T>
uint64_t order_key(T x) {
    if constexpr (floating_element<T>) {
        return detail::real_key(std::bit_cast<unsigned_of<T>>(x), infinity_bits<T>());
    } else if constexpr (std::is_signed_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<U>(static_cast<U>(x) ^ (U{1} << (key_bits<T> - 1)));
    } else {
        return static_cast<uint64_t>(x);
    }
}

}  // namespace sinter::ordering
