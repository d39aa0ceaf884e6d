// Half conversions, compared exhaustively with the definition of the format.
#include "tests/seed.hpp"

#include <sinter/dtype.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

using sinter::Half;

namespace {

float half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float magnitude = exponent == 31 ? (fraction ? std::nanf("") : INFINITY)
                      : exponent     ? std::ldexp(1024.0f + fraction, exponent - 25)
                                     : std::ldexp(static_cast<float>(fraction), -24);
    return bits & 0x8000 ? -magnitude : magnitude;
}

bool is_nan(uint16_t bits) { return (bits & 0x7FFF) > 0x7C00; }

}  // namespace

TEST_CASE("half: every half to float, and back to itself") {
    int wrong = 0;
    for (uint32_t i = 0; i < 0x10000; ++i) {
        auto bits = static_cast<uint16_t>(i);
        float value = Half::to_float(bits), expected = half_value(bits);
        if (std::isnan(expected)) {
            wrong += !std::isnan(value) || !is_nan(Half::from_float(value));
        } else {
            wrong += std::bit_cast<uint32_t>(value) != std::bit_cast<uint32_t>(expected);
            wrong += Half::from_float(value) != bits;
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("half: rounds to nearest, ties to even, between every two neighbours") {
    int wrong = 0;
    for (uint32_t i = 0; i < 0x7C00; ++i) {
        auto low = static_cast<uint16_t>(i), high = static_cast<uint16_t>(i + 1);
        // 65536 represents infinity, as in the rounding rule of the format.
        float a = half_value(low), b = high == 0x7C00 ? 65536.0f : half_value(high);
        float middle = a + (b - a) / 2;
        for (const float sign : {-1.0f, 1.0f}) {
            uint16_t s = sign < 0 ? 0x8000 : 0;
            wrong += Half::from_float(sign * middle) != (s | (i % 2 ? high : low));
            wrong += Half::from_float(sign * std::nextafter(middle, 0.0f)) != (s | low);
            wrong += Half::from_float(sign * std::nextafter(middle, INFINITY)) != (s | high);
        }
    }
    CHECK(wrong == 0);
}

TEST_CASE("half: large floats, infinities, NaN and float subnormals") {
    float infinity = std::numeric_limits<float>::infinity();
    CHECK(Half::from_float(65536.0f) == 0x7C00);
    CHECK(Half::from_float(-1e30f) == 0xFC00);
    CHECK(Half::from_float(infinity) == 0x7C00);
    CHECK(is_nan(Half::from_float(std::nanf(""))));
    CHECK(is_nan(Half::from_float(std::bit_cast<float>(0x7F800001u))));
    CHECK(Half::from_float(std::numeric_limits<float>::denorm_min()) == 0);
    CHECK(Half::from_float(-std::numeric_limits<float>::min()) == 0x8000);
}

// Between the midpoints the result is the same, so this repeats the test above; it costs ten
// seconds.
TEST_CASE("half: every float" * doctest::skip(!sinter::test::long_run())) {
    uint64_t wrong = 0;
    for (uint64_t i = 0; i <= 0x7F800000u; ++i) {
        float value = std::bit_cast<float>(static_cast<uint32_t>(i));
        uint16_t half = Half::from_float(value);
        if (half > 0x7C00) {
            ++wrong;
            continue;
        }
        float at = half == 0x7C00 ? 65536.0f : half_value(half);
        float below = half ? half_value(static_cast<uint16_t>(half - 1)) : -at;
        float above = half >= 0x7BFF ? (half == 0x7C00 ? INFINITY : 65536.0f)
                                     : half_value(static_cast<uint16_t>(half + 1));
        if (half == 0x7C00 && value >= 65536.0f) continue;
        wrong += std::fabs(value - at) > std::fabs(value - below) ||
                 std::fabs(value - at) > std::fabs(value - above);
    }
    CHECK(wrong == 0);
}
