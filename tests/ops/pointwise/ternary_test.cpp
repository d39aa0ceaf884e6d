#include "tests/ops/pointwise/pointwise_check.hpp"

#include <sinter/functions/pointwise.hpp>
#include <sinter/warning.hpp>

#include <array>

using namespace sinter;
using test::check;
using test::nan64;

namespace {

/// Compares f(a, b, c) with reference(a, b, c) over floats, broadcast views, and modes.
template <class F, class R>
void check_ternary(const F& f, const R& reference) {
    test::for_each_mode([&] {
        for (ScalarType dtype : test::floats) {
            CAPTURE(dtype);
            const Tensor x = test::grid(dtype),
                         y = (test::grid(kDouble).flip({0, 1}) * 0.5 + 3).to(dtype);
            const Tensor z = (test::grid(kDouble).roll({5}) * 0.25).to(dtype);
            const std::vector<std::array<Tensor, 3>> operands = {
                {x, y, z},
                {x.t(), y.t(), z.slice(0, 1, 2).select(0, 0).unsqueeze(1)},
                {x.slice(1, 0, 6, 2), y.select(1, 0).unsqueeze(1), z.select(0, 0).select(0, 1)},
                {x.select(0, 0).select(0, 0), y.slice(0, 0, 1), z},
                {x.slice(0, 2, 2), y.slice(0, 2, 2), z.slice(0, 0, 1)}};
            for (const auto& [a, b, c] : operands) {
                const Tensor like = a + b + c;
                const std::vector<double> va = test::doubles(a.expand(like.sizes())),
                                          vb = test::doubles(b.expand(like.sizes())),
                                          vc = test::doubles(c.expand(like.sizes()));
                std::vector<double> expected(va.size());
                for (std::size_t i = 0; i < va.size(); ++i)
                    expected[i] = reference(va[i], vb[i], vc[i]);
                // Sums of three values cancel, so errors are in ULP of the largest operand.
                const Tensor got = f(a, b, c);
                REQUIRE((got.scalar_type() == dtype));
                REQUIRE(got.sizes() == like.sizes());
                const std::vector<double> values = test::doubles(got);
                for (std::size_t i = 0; i < values.size(); ++i)
                    CHECK(std::fabs(values[i] - expected[i]) <= 32 * finfo(dtype).eps);
            }
        }
    });
}

}  // namespace

TEST_CASE("lerp, addcmul and addcdiv against plain loops") {
    check_ternary([](const Tensor& a, const Tensor& b, const Tensor& c) { return lerp(a, b, c); },
                  [](double a, double b, double c) { return a + c * (b - a); });
    for (double weight : {0.25, 0.75}) {
        check_ternary([&](const Tensor& a, const Tensor& b,
                          const Tensor& c) { return Tensor(lerp(a, b, weight) + c); },
                      [&](double a, double b, double c) { return a + weight * (b - a) + c; });
    }
    check_ternary(
        [](const Tensor& a, const Tensor& b, const Tensor& c) { return addcmul(a, b, c, 0.5); },
        [](double a, double b, double c) { return a + 0.5 * b * c; });
    check_ternary(
        [](const Tensor& a, const Tensor& b, const Tensor& c) { return addcdiv(c, a, b, -2); },
        [](double a, double b, double c) { return c - 2 * a / b; });
    check_ternary([](const Tensor& a, const Tensor& b, const Tensor& c) { return clamp(a, c, b); },
                  [](double a, double b, double c) { return std::min(std::max(a, c), b); });
}

TEST_CASE("functions of three that write") {
    const Tensor other = test::grid(kFloat).t().slice(0, 0, 3) * 0.5 + 2;
    test::check_writing([&](const Tensor& x) { return x.lerp(other, 0.75); },
                        [&](const Tensor& x) -> Tensor& { return x.lerp_(other, 0.75); });
    test::check_writing([&](const Tensor& x) { return x.lerp(other, other); },
                        [&](const Tensor& x) -> Tensor& { return x.lerp_(other, other); });
    test::check_writing([&](const Tensor& x) { return x.addcmul(other, other, 2); },
                        [&](const Tensor& x) -> Tensor& { return x.addcmul_(other, other, 2); });
    test::check_writing([&](const Tensor& x) { return x.addcdiv(x, other); },
                        [&](const Tensor& x) -> Tensor& { return x.addcdiv_(x, other); });
    test::check_writing([&](const Tensor& x) { return x.clamp(nullopt, other); },
                        [&](const Tensor& x) -> Tensor& { return x.clip_(nullopt, other); });
}

TEST_CASE("addcmul and addcdiv promote, and keep integers") {
    test::for_each_mode([] {
        const Tensor i = tensor({1, 2}, kInt);
        check<int32_t>(addcmul(i, i, i, 3), {2}, {4, 14});
        check<float>(addcmul(i, i, tensor({0.5, 1.0})), {2}, {1.5, 4});
        check<float>(addcdiv(i, i, tensor({0.5, 1.0})), {2}, {3, 4});
        check<int64_t>(tensor({5}).addcmul_(tensor({2}), tensor({3})), {1}, {11});
        check<int64_t>(addcmul(tensor({1}), tensor({2}), tensor({3}), -1.75), {1}, {-5});
    });
    CHECK_ERROR(
        ValueError, addcmul(zeros({1}, kInt), ones({1}, kInt), ones({1}, kInt), int64_t{1} << 40),
        "[addcmul] value cannot be converted to type int without overflow; got 1099511627776 for "
        "Int, expected a value that Int can hold; try kLong, a wider dtype");
    CHECK_ERROR(
        Error, addcdiv(zeros({1}), tensor({1}), tensor({1})),
        "[addcdiv] integers cannot be divided; got Long and Long, expected a floating-point dtype "
        "in one of them; try .to(kFloat) first, or addcmul() with div(..., \"trunc\")");
    CHECK_ERROR(Error, tensor({1}).addcmul_(zeros({1}), zeros({1})),
                "[addcmul_] result type Float can't be cast to the desired output type Long; got a "
                "Float result for a Long tensor, expected a Float tensor; try the out-of-place "
                "form, or .to(kFloat) first");
    CHECK_ERROR(Error, lerp(zeros({1}), zeros({1}, kDouble), 0.5),
                "[lerp] the operands' dtypes differ; got Float and Double, expected the same "
                "dtype; try .to(kDouble) on the first");
    CHECK_ERROR(NotImplementedError, lerp(tensor({1}), tensor({2}), 0.5),
                "[lerp] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
    Tensor x = zeros({3, 3});
    CHECK_THROWS_AS(x.lerp_(x.t(), 0.5), Error);
    CHECK_THROWS_AS(x.addcmul_(zeros({2, 3, 3}), x), Error);
}

TEST_CASE("clamp by tensors") {
    test::for_each_mode([] {
        const Tensor x = tensor({-2.0, 0.5, nan64, 2.0}), low = tensor({-1.0, 1.0, 0.0, 3.0});
        const float nan = std::numeric_limits<float>::quiet_NaN();
        check<float>(x.clamp(low), {4}, {-1, 1, nan, 3});
        check<float>(x.clamp(low, low + 0.5), {4}, {-1, 1, nan, 3});
        check<float>(x.clamp(low, scalar_tensor(0)), {4}, {-1, 0, nan, 0});
        check<float>(clip(x, nullopt, low), {4}, {-2, 0.5, nan, 2});
        check<float>(x.clamp_min(low), {4}, {-1, 1, nan, 3});
        check<float>(x.clamp_max(1), {4}, {-2, 0.5, nan, 1});
        check<int64_t>(clamp(tensor({1, 5}), tensor({2, 2}, kInt)), {2}, {2, 5});
        check<float>(tensor({1, 5}).clamp(tensor({1.5, 1.5})), {2}, {1.5, 5});
    });
    CHECK_ERROR(Error, clamp(zeros({1}), optional<Tensor>(), optional<Tensor>()),
                "[clamp] min and max are both missing; got nullopt and nullopt, expected at least "
                "one of them; try clone() for a copy");
}

TEST_CASE("where takes a Byte condition, and warns") {
    struct : WarningHandler {
        std::vector<std::string> texts;
        void process(const Warning& warning) override { texts.push_back(warning.msg()); }
    } handler;
    Warning::set_warning_handler(&handler);
    test::for_each_mode([&] {
        handler.texts.clear();
        const Tensor u = tensor({0, 1, 200}, kByte);
        check<int64_t>(where(u, 1, -1), {3}, {-1, 1, 1});
        check<int64_t>(where(u + 56, 1, -1), {3}, {1, 1, -1});
        CHECK(handler.texts ==
              std::vector<std::string>(2,
                                       "[where] where received a uint8 condition tensor, which is "
                                       "deprecated; try a Bool condition"));
    });
    Warning::set_warning_handler(nullptr);
    CHECK_ERROR(Error, where(tensor({1}), 1, 0),
                "[where] the condition has the wrong dtype; got Long, expected Bool; try a "
                "comparison, or .to(kBool)");
}

TEST_CASE("where takes numbers") {
    test::for_each_mode([] {
        const Tensor x = tensor({-1, 2}), condition = x > 0;
        check<int64_t>(where(condition, x, 7), {2}, {7, 2});
        check<float>(where(condition, 1.5, x), {2}, {-1, 1.5});
        check<int64_t>(where(condition, 1, 0), {2}, {0, 1});
        check<float>(where(condition, 1.0, 0), {2}, {0, 1});
        check<int64_t>(x.where(condition, 9), {2}, {9, 2});
    });
}
