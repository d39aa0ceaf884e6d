// Random draws: the published vectors of Philox4x32-10, an independent Box and Muller in MPFR, and
// moments.
#include "tests/op/reference.hpp"
#include "tests/seed.hpp"

#include <sinter/dtype.hpp>
#include <sinter/math/host.hpp>
#include <sinter/op/rows.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cmath>

using namespace sinter;
using sinter::test::real;

namespace {

using W = math::host<int32_t>;
using I = math::host<int64_t>;

std::array<uint32_t, 4> block(std::array<uint32_t, 4> counter, uint32_t key0, uint32_t key1) {
    auto word = [](uint32_t x) { return W::from(static_cast<int32_t>(x)); };
    math::detail::words<W> c{word(counter[0]), word(counter[1]), word(counter[2]),
                             word(counter[3])};
    auto w = math::detail::philox4x32(c, word(key0), word(key1));
    auto value = [](W x) { return static_cast<uint32_t>(x.v); };
    return {value(w.w0), value(w.w1), value(w.w2), value(w.w3)};
}

/// Returns the random words from which an element's draw is computed.
std::array<uint32_t, 4> words_of(int64_t seed, int64_t position) {
    auto low = [](int64_t x) { return static_cast<uint32_t>(x); };
    auto high = [](int64_t x) { return static_cast<uint32_t>(static_cast<uint64_t>(x) >> 32); };
    return block({low(position), high(position), 0, 0}, low(seed), high(seed));
}

template <class T>
T uniform(int64_t seed, int64_t position) {
    return rows::philox_uniform::value<math::host<T>>(I::from(seed), I::from(position)).v;
}
template <class T>
T normal(int64_t seed, int64_t position) {
    return rows::philox_normal::value<math::host<T>>(I::from(seed), I::from(position)).v;
}

/// sqrt(-2 log u) cos(pi/2 quarters).
double normal_error(double got, bool narrow, double u, double quarters) {
    real r(u, 300), angle(quarters, 300), cosine(0, 300);
    mpfr_log(r, r, MPFR_RNDN);
    mpfr_mul_si(r, r, -2, MPFR_RNDN);
    mpfr_sqrt(r, r, MPFR_RNDN);
    mpfr_const_pi(cosine, MPFR_RNDN);
    mpfr_mul(angle, angle, cosine, MPFR_RNDN);
    mpfr_div_2ui(angle, angle, 1, MPFR_RNDN);
    bool right_angle = quarters == 1 || quarters == 3;
    if (right_angle)
        mpfr_set_zero(cosine, std::signbit(got) ? -1 : 1);
    else
        mpfr_cos(cosine, angle, MPFR_RNDN);
    mpfr_mul(r, r, cosine, MPFR_RNDN);
    return narrow ? test::ulp_error(static_cast<float>(got), r) : test::ulp_error(got, r);
}

}  // namespace

TEST_CASE("philox: the published vectors") {
    using block_words = std::array<uint32_t, 4>;
    CHECK(block({0, 0, 0, 0}, 0, 0) == block_words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    const uint32_t ones = 0xffffffff;
    CHECK(block({ones, ones, ones, ones}, ones, ones) ==
          block_words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    CHECK(block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0) ==
          block_words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("philox: draws are the words of the element's own block") {
    for (int64_t seed : {int64_t{0}, int64_t{42}, int64_t{-5}, int64_t{1} << 40}) {
        for (int64_t position : {int64_t{0}, int64_t{1}, int64_t{1} << 33}) {
            auto w = words_of(seed, position);
            uint64_t both = static_cast<uint64_t>(w[0]) << 32 | w[1];
            CHECK(rows::philox_bits::value<I>(I::from(seed), I::from(position)).v ==
                  static_cast<int64_t>(both));
            CHECK(uniform<float>(seed, position) == std::ldexp(static_cast<float>(w[0] >> 8), -24));
            CHECK(uniform<double>(seed, position) ==
                  std::ldexp(static_cast<double>(both >> 11), -53));
        }
    }
}

TEST_CASE("philox: uniform draws have the moments of a uniform and never reach 1") {
    const int n = 200000;
    double sum = 0, squares = 0;
    for (int i = 0; i < n; ++i) {
        double x = uniform<double>(7, i);
        sum += x;
        squares += x * x;
        REQUIRE((uniform<float>(7, i) < 1 && x < 1 && x >= 0));
    }
    CHECK(std::fabs(sum / n - 0.5) < 0.003);
    CHECK(std::fabs(squares / n - 1.0 / 3) < 0.003);
}

TEST_CASE_TEMPLATE("philox: normal draws have the moments of a normal", T, float, double) {
    const int n = 200000;
    double m[5] = {};
    for (int i = 0; i < n; ++i) {
        double x = normal<T>(11, i), power = 1;
        for (double& moment : m) {
            moment += power;
            power *= x;
        }
    }
    CHECK(std::fabs(m[1] / n) < 0.01);
    CHECK(std::fabs(m[2] / n - 1) < 0.02);
    CHECK(std::fabs(m[3] / n) < 0.05);
    CHECK(std::fabs(m[4] / n - 3) < 0.1);
}

TEST_CASE("philox: normal draws against MPFR") {
    double worst32 = 0, worst64 = 0;
    for (int i = 0; i < test::cases(20000); ++i) {
        auto w = words_of(static_cast<int64_t>(test::seed()), i);
        uint64_t first = (static_cast<uint64_t>(w[0]) << 32 | w[1]) >> 11;
        uint64_t second = (static_cast<uint64_t>(w[2]) << 32 | w[3]) >> 11;
        double u64 = std::ldexp(static_cast<double>(first + 1), -53);
        float u32 = std::fmaf(static_cast<float>(w[0] >> 1), 0x1p-31f, 0x1p-32f);
        auto seed = static_cast<int64_t>(test::seed());
        worst64 = std::max(worst64, normal_error(normal<double>(seed, i), false, u64,
                                                 std::ldexp(static_cast<double>(second), -51)));
        worst32 = std::max(worst32, normal_error(normal<float>(seed, i), true, u32,
                                                 std::ldexp(static_cast<double>(w[2] >> 8), -22)));
    }
    MESSAGE("philox_normal: " << worst32 << " ULP in f32, " << worst64 << " in f64");
    CHECK(worst32 <= rows::philox_normal::ulp_f32);
    CHECK(worst64 <= rows::philox_normal::ulp_f64);
}
