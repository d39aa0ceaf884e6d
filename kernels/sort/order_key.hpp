// An unsigned number for each element that orders as the elements do: NaN, whatever its bits, above
// everything else, and the two zeros equal. So one loop over numbers sorts every dtype.
#pragma once

#include "kernels/slices/dtypes.hpp"

#include <bit>
#include <cstdint>

namespace sinter::ordering {

template <class T>
inline constexpr int key_bits = 8 * static_cast<int>(sizeof(T));

namespace detail {

/// Of a floating number by its bits; `exponent` has those of infinity set.
template <class Bits>
Bits real_key(Bits bits, Bits exponent) {
    constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    const auto magnitude = static_cast<Bits>(bits & ~sign);
    if (magnitude > exponent) return static_cast<Bits>(~Bits{0});
    if (magnitude == 0) return sign;
    return static_cast<Bits>(bits & sign ? ~bits : bits | sign);
}

}  // namespace detail

/// In the lowest key_bits<T> bits.
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
