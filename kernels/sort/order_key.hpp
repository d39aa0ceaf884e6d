// Maps each element to an unsigned key with the same order, so that one integer sort serves every
// dtype. Every NaN has the largest key, and both zeros have the same key.
#pragma once

#include "kernels/slices/dtypes.hpp"

#include <bit>
#include <cstdint>

namespace sinter::ordering {

template <class T>
inline constexpr int key_bits = 8 * static_cast<int>(sizeof(T));

namespace detail {

/// Returns the key of a floating-point number from its bits. `exponent` is the bit pattern of
/// infinity.
template <class Bits>
Bits real_key(Bits bits, Bits exponent) {
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    const auto magnitude = static_cast<Bits>(bits & ~sign);
    if (magnitude > exponent) return static_cast<Bits>(~Bits{0});
    if (magnitude == 0) return sign;
    return static_cast<Bits>(bits & sign ? ~bits : bits | sign);
}

}  // namespace detail

/// Returns the key, in the lowest key_bits<T> bits.
template <class T>
uint64_t order_key(T x) {
    if constexpr (std::is_same_v<T, Half>) {
        return detail::real_key<uint16_t>(x.bits, 0x7c00);
    } else if constexpr (std::is_same_v<T, BFloat16>) {
        return detail::real_key<uint16_t>(x.bits, 0x7f80);
    } else if constexpr (std::is_same_v<T, float>) {
        return detail::real_key<uint32_t>(std::bit_cast<uint32_t>(x), 0x7f800000);
    } else if constexpr (std::is_same_v<T, double>) {
        return detail::real_key<uint64_t>(std::bit_cast<uint64_t>(x), uint64_t{0x7ff} << 52);
    } else if constexpr (std::is_signed_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<U>(static_cast<U>(x) ^ (U{1} << (key_bits<T> - 1)));
    } else {
        return static_cast<uint64_t>(x);
    }
}

}  // namespace sinter::ordering
