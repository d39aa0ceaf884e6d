// BFloat16 conversions, compared with the definition of the format.
#include <sinter/dtype.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

using sinter::BFloat16;

namespace {

/// Computes the value from the format's fields.
double bfloat16_value(uint16_t bits) {
    const int exponent = bits >> 7 & 255, fraction = bits & 127;
    const double magnitude = exponent == 255 ? (fraction ? std::nan("") : INFINITY)
                             : exponent      ? std::ldexp(128.0 + fraction, exponent - 134)
                                             : std::ldexp(static_cast<double>(fraction), -133);
    return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace

TEST_CASE("bfloat16: every one to float, and back to itself, NaN with its payload") {
    int wrong = 0;
    for (uint32_t i = 0; i < 0x10000; ++i) {
        const auto bits = static_cast<uint16_t>(i);
        const float value = BFloat16::to_float(bits);
        const double expected = bfloat16_value(bits);
        wrong += std::isnan(expected) ? !std::isnan(value)
                                      : std::bit_cast<uint64_t>(static_cast<double>(value)) !=
                                            std::bit_cast<uint64_t>(expected);
        wrong += BFloat16::from_float(value) != bits;
    }
    CHECK(wrong == 0);
}

TEST_CASE("bfloat16: rounds to nearest, ties to even, between every two neighbours") {
    int wrong = 0;
    for (uint32_t i = 0; i < 0x7F80; ++i) {
        const auto low = static_cast<uint16_t>(i), high = static_cast<uint16_t>(i + 1);
        // 2^128 represents infinity, as in the rounding rule of the format.
        const double a = bfloat16_value(low), b = high == 0x7F80 ? 0x1p128 : bfloat16_value(high);
        const auto middle = static_cast<float>(a + (b - a) / 2);
        for (const float sign : {-1.0f, 1.0f}) {
            const auto s = static_cast<uint16_t>(sign < 0 ? 0x8000 : 0);
            wrong += BFloat16::from_float(sign * middle) != (s | (i % 2 ? high : low));
            wrong += BFloat16::from_float(sign * std::nextafter(middle, 0.0f)) != (s | low);
            wrong += BFloat16::from_float(sign * std::nextafter(middle, INFINITY)) != (s | high);
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("bfloat16: ends of the range") {
    using limits = std::numeric_limits<float>;
    CHECK(BFloat16::from_float(limits::max()) == 0x7F80);
    CHECK(BFloat16::from_float(-limits::infinity()) == 0xFF80);
    CHECK(BFloat16::from_float(limits::denorm_min()) == 0);
    CHECK(BFloat16::from_float(limits::min()) == 0x0080);
    // A NaN whose payload is only in the dropped bits is still a NaN.
    CHECK(BFloat16::from_float(std::bit_cast<float>(0x7F800001u)) == 0x7FC0);
}
