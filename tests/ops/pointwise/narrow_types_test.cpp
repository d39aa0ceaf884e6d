// Char, Short and BFloat16: types that compute in a wider type than they are stored in.
#include "tests/ops/check.hpp"
#include "tests/runtime/again.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

using namespace sinter;
using test::check;
using test::for_each_mode;

namespace {

std::vector<BFloat16> bfloats(std::initializer_list<float> values) {
    return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("integers of 8 and 16 bits wrap") {
    for_each_mode([] {
        const Tensor a = tensor({127, -128, 100, -1}, kInt8);
        check<int8_t>(a + a, {4}, {-2, 0, -56, -2});
        check<int8_t>(a * a, {4}, {1, 0, 16, 1});
        check<int8_t>(-a, {4}, {-127, -128, -100, 1});
        check<int8_t>(abs(a), {4}, {127, -128, 100, 1});
        check<int8_t>(~a, {4}, {-128, 127, -101, 0});
        check<int8_t>(floor_divide(a, tensor({2, -1, -7, 3}, kInt8)), {4}, {63, -128, -15, -1});
        check<int8_t>(remainder(a, 7), {4}, {1, 5, 2, 6});
        check<int8_t>(bitwise_left_shift(a, 1), {4}, {-2, 0, -56, -2});
        check<int8_t>(bitwise_right_shift(a, 9), {4}, {0, -1, 0, -1});
        check<int8_t>(a.pow(3), {4}, {127, 0, 64, -1});
        // The number is first converted to the tensor's type, as in PyTorch.
        check<int8_t>(a + 300, {4}, {-85, -84, -112, 43});
        check<bool>(a < 300, {4}, {false, true, false, true});
        const Tensor b = tensor({32767, -32768, 300}, kInt16);
        check<int16_t>(b + b, {3}, {-2, 0, 600});
        check<int16_t>(b * b, {3}, {1, 0, 24464});
        // This holds within one kernel too: each operation wraps before the next one divides.
        check<int16_t>(floor_divide(b + b, 2), {3}, {-1, 0, 300});
        check<int8_t>(floor_divide(a + a, 2), {4}, {-1, 0, -28, -1});
    });
}

TEST_CASE("mixed integers become wide enough for both") {
    for_each_mode([] {
        const Tensor i8 = tensor({-1, 5}, kInt8), u8 = tensor({255, 1}, kUInt8),
                     i16 = tensor({-300, 300}, kInt16);
        check<int16_t>(i8 + u8, {2}, {254, 6});
        check<int16_t>(i16 + u8, {2}, {-45, 301});
        check<int16_t>(i16 * i8, {2}, {300, 1500});
        check<int8_t>(i8 + tensor({true, false}), {2}, {0, 5});
        check<float>(i8 / u8, {2}, {-1 / 255.0f, 5});
        check<float>(i16 + 0.5, {2}, {-299.5, 300.5});
    });
}

TEST_CASE("floats become integers of 8 and 16 bits by way of 32") {
    for_each_mode([] {
        const Tensor x = tensor({300.7, -300.7, 1e10, static_cast<double>(NAN), -0.9, 65536.0});
        check<int8_t>(x.to(kInt8), {6}, {44, -44, 0, 0, 0, 0});
        check<int16_t>(x.to(kInt16), {6}, {300, -300, 0, 0, 0, 0});
        check<int8_t>(x.to(kFloat64).to(kInt8), {6}, {44, -44, 0, 0, 0, 0});
    });
}

TEST_CASE("reductions of narrow types") {
    for_each_mode([] {
        const Tensor a = full({1000}, 100, kInt8);
        check<int64_t>(a.sum(), {}, {100000});
        check<int64_t>(tensor({-100, 100, 100}, kInt16).prod(), {}, {-1000000});
        check<int8_t>(tensor({-100, 100, 99}, kInt8).amax(), {}, {100});
        check<int64_t>(tensor({-100, 100, 99}, kInt8).argmin(), {}, {0});
        // Summed in float and rounded once: 1 is lost beside 256 in a BFloat16.
        const Tensor ones_ = ones({1001}, kBFloat16);
        check<BFloat16>(ones_.sum(), {}, bfloats({1000}));
        check<BFloat16>(ones_.mean(), {}, bfloats({1}));
        check<BFloat16>(tensor({1.0, 3.0}, kBFloat16).var(), {}, bfloats({2}));
    });
}

TEST_CASE("BFloat16 rounds after every operation") {
    for_each_mode([] {
        const Tensor x = tensor({256.0, 1.0, 3.0e38, 1e-40}, kBFloat16);
        // 257 lies between 256 and 258.
        check<BFloat16>(x + 1, {4}, bfloats({256, 2, 3.0e38f, 1}));
        check<BFloat16>((x + 1) - x, {4}, bfloats({0, 1, 0, 1}));
        check<BFloat16>(x + x, {4}, bfloats({512, 2, INFINITY, 2e-40f}));
        check<float>(x + tensor({1.0, 1.0, 1.0, 1.0}, kHalf), {4},
                     {257, 2, static_cast<float>(BFloat16(3.0e38f)) + 1,
                      static_cast<float>(BFloat16(1e-40f)) + 1});
        check<BFloat16>(x * tensor({2, 2, 2, 2}), {4}, bfloats({512, 2, INFINITY, 2e-40f}));
        CHECK(static_cast<float>(x[1].item<BFloat16>()) == 1.0f);
        CHECK(x[0].item<double>() == 256);
    });
}

TEST_CASE("numbers that a narrow type does not hold") {
    CHECK_ERROR(ValueError, full({2}, 300, kInt8),
                "[full] value cannot be converted to type int8_t without overflow; got 300 for "
                "Char, expected a value that Char can hold; try kLong, a wider dtype");
    CHECK_ERROR(ValueError, tensor({-40000}, kInt16),
                "[tensor] value cannot be converted to type int16_t without overflow; got -40000 "
                "for Short, expected a value that Short can hold; try kLong, a wider dtype");
    CHECK_ERROR(
        ValueError, full({2}, 3.4e38, kBFloat16),
        "[full] value cannot be converted to type at::BFloat16 without overflow; got 3.4e+38 for "
        "BFloat16, expected a value that BFloat16 can hold; try kDouble, a wider dtype");
}

TEST_CASE("products of narrow types") {
    for_each_mode([] {
        const Tensor a = tensor({{1.0, 2.0}, {3.0, 4.0}}, kBFloat16);
        check<BFloat16>(a.mm(a), {2, 2}, bfloats({7, 10, 15, 22}));
        const Tensor b = tensor({{100, 2}, {3, 100}}, kInt8);
        check<int8_t>(b.mm(b), {2, 2}, {22, -112, 88, 22});
        check<int16_t>(b.to(kInt16).mv(tensor({300, 1}, kInt16)), {2}, {30002, 1000});
    });
}

TEST_CASE("moves keep every bit of 16-bit NaNs" * doctest::test_suite("host")) {
    std::vector<uint16_t> all(65536);
    std::iota(all.begin(), all.end(), uint16_t{0});
    for (const ScalarType type : {kHalf, kBFloat16}) {
        CAPTURE(toString(type));
        for_each_mode([&] {
            const Tensor a = from_blob(all.data(), {65536}, type).clone();
            const auto kept = [&](const Tensor& moved) {
                const Tensor c = moved.contiguous();
                return std::memcmp(c.const_data_ptr(), all.data(), c.nbytes()) == 0;
            };
            CHECK(kept(a.clone()));
            CHECK(kept(a.view({2, -1}).t().contiguous().t()));
            CHECK(kept(a.flip(0).flip(0)));
            CHECK(kept(a.roll(5).roll(-5)));
            CHECK(kept(cat({a.slice(0, 0, 7), a.slice(0, 7)})));
            CHECK(kept(a.index_select(0, arange(65536))));
            Tensor every_second = zeros({65536}, type);
            every_second.slice(0, 0, nullopt, 2).copy_(a.slice(0, 0, nullopt, 2));
            every_second.slice(0, 1, nullopt, 2).copy_(a.slice(0, 1, nullopt, 2));
            CHECK(kept(every_second));
        });
    }
}

namespace {

/// Returns all numbers of a narrow type except NaN, in increasing order, with -0 before 0.
template <class T>
std::vector<T> numbers_in_order(uint16_t infinity) {
    std::vector<T> v;
    for (uint32_t bits = infinity; bits > 0; --bits)
        v.push_back(T::from_bits(static_cast<uint16_t>(0x8000 | bits)));
    for (uint32_t bits = 0; bits <= infinity; ++bits)
        v.push_back(T::from_bits(static_cast<uint16_t>(bits)));
    return v;
}

template <class T>
void check_all_neighbours(uint16_t infinity) {
    const std::vector<T> v = numbers_in_order<T>(infinity);
    const auto n = static_cast<int64_t>(v.size());
    const Tensor x = tensor(v);
    const Tensor up = nextafter(x, INFINITY), down = nextafter(x, -INFINITY);
    CHECK(equal(up.slice(0, 0, n - 1), x.slice(0, 1)));
    CHECK(equal(down.slice(0, 1), x.slice(0, 0, n - 1)));
    CHECK(up[n - 1].item<float>() == INFINITY);
    CHECK(down[0].item<float>() == -INFINITY);
    CHECK(up[n / 2 - 1].signbit().item<bool>());  // from the smallest below 0 to -0
    CHECK(nextafter(x, static_cast<double>(NAN)).isnan().all().item<bool>());
    CHECK(equal(nextafter(x, x), x));
}

}  // namespace

TEST_CASE("moves keep every bit of 16-bit NaNs, whatever runs kernels" *
          doctest::test_suite("host")) {
    for (const char* executor : {"off", "interpret"}) {
        CAPTURE(executor);
        CHECK(test::run_again("moves keep every bit of 16-bit NaNs", "SINTER_JIT", executor) == 0);
    }
}

TEST_CASE("nextafter: every neighbour of 16 bits") {
    for_each_mode([] {
        check_all_neighbours<Half>(0x7c00);
        check_all_neighbours<BFloat16>(0x7f80);
        const Tensor nan = full({1}, static_cast<double>(NAN), kHalf);
        CHECK(nextafter(nan, ones({1}, kHalf)).isnan().item<bool>());
        // Within one statement, with complex numbers, by a number, in place.
        const Tensor h = tensor({1.0, -2.0, 0.0}, kHalf);
        check<float>((nextafter(h, 3) - h).to(kFloat), {3}, {0x1p-10f, 0x1p-10f, 0x1p-24f});
        const Tensor turned = nextafter(h, 3) * tensor({sinter::complex<float>(0, 1)});
        check<float>(imag(turned), {3}, {1 + 0x1p-10f, -2 + 0x1p-10f, 0x1p-24f});
        Tensor t = h.clone();
        t.nextafter_(tensor({0, 0, 1}));
        check<float>(t.to(kFloat), {3}, {1 - 0x1p-11f, -2 + 0x1p-10f, 0x1p-24f});
        FastMathGuard fast;
        check<float>((nextafter(h, 3) - h).to(kFloat), {3}, {0x1p-10f, 0x1p-10f, 0x1p-24f});
    });
}

namespace {

template <class T, class U>
constexpr bool makes = std::is_same_v<T, U>;

template <class T>
void check_arithmetic() {
    T h = 1.5f;
    const T g = 0.25f;
    static_assert(makes<decltype(h + g), T> && makes<decltype(h - g), T>);
    static_assert(makes<decltype(h * g), T> && makes<decltype(h / g), T> && makes<decltype(-h), T>);
    static_assert(makes<decltype(h / 2), T> && makes<decltype(2 / h), T>);
    static_assert(makes<decltype(h + int64_t{1}), T> && makes<decltype(h * 2U), T>);
    static_assert(makes<decltype(h - std::size_t{1}), T> && makes<decltype(short{1} * h), T>);
    static_assert(makes<decltype(h * true), T> && makes<decltype('a' + h), T>);
    static_assert(makes<decltype(h * 2.f), float> && makes<decltype(2.f - h), float>);
    static_assert(makes<decltype(h / 2.0), double> && makes<decltype(2.0 + h), double>);

    const bool yes = h > g;
    CHECK(static_cast<float>(yes ? h : h + h) == 1.5f);
    CHECK(static_cast<float>(std::max(h, h + h)) == 3.f);
    CHECK(static_cast<float>(std::min(h, -h)) == -1.5f);
    CHECK((h == 1.5 && h < 2 && h != g && 2.f >= h));
    h += 1;
    CHECK(static_cast<float>(h) == 2.5f);
    h *= g;
    CHECK(static_cast<float>(h) == 0.625f);
    h -= 0.5;
    h /= 2.f;
    CHECK(static_cast<float>(h) == 0.0625f);
    // Each operation rounds its result, and its operands before that.
    const T third = T(1.f) / 3;
    CHECK(static_cast<float>(third) != 1.f / 3);
    CHECK(static_cast<float>(third) == static_cast<float>(T(1.f / 3)));
    const T large = 2048.f;
    CHECK(static_cast<float>(large + 1 + 1) == 2048.f);
    CHECK(static_cast<float>(large + 1.f + 1) == 2050.f);  // computed in float
    T sum = large;
    sum += 1.f;
    CHECK(static_cast<float>(sum) == 2048.f);
    float wide = 1;
    wide += g;
    CHECK(wide == 1.25f);
    // Combined with a tensor it is a number.
    const Tensor t = tensor({1.f, 2.f});
    check<float>(t * g, {2}, {0.25f, 0.5f});
    check<float>(g + t, {2}, {1.25f, 2.25f});
}

}  // namespace

TEST_CASE("narrow numbers stay narrow, as libtorch's") {
    check_arithmetic<Half>();
    check_arithmetic<BFloat16>();
    CHECK(static_cast<float>(Half(70000.f) / 2) == std::numeric_limits<float>::infinity());
    CHECK(static_cast<float>(Half(1.f) * 70000) == std::numeric_limits<float>::infinity());
    const std::vector<Half> list{Half(1.f), Half(2.f), Half(3.f)};
    CHECK(static_cast<float>(std::accumulate(list.begin(), list.end(), Half(0.f))) == 6.f);
}
