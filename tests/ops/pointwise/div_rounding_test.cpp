#include "tests/ops/pointwise/pointwise_check.hpp"

#include <sinter/functions/pointwise.hpp>

using namespace sinter;
using test::check;

TEST_CASE("div with a rounding mode against plain loops") {
    test::check_unary([](const Tensor& x) { return div(x, 0.75, "floor"); },
                      [](double x) { return std::floor(x / 0.75); });
    test::check_unary([](const Tensor& x) { return x.divide(-0.75, "trunc"); },
                      [](double x) { return std::trunc(x / -0.75); });
    test::check_unary([](const Tensor& x) { return div(x, 0.75, nullopt); },
                      [](double x) { return x / 0.75; });
    test::check_unary(
        [](const Tensor& x) { return x.div(full({}, 2.0, kDouble).to(x.dtype()), "trunc"); },
        [](double x) { return std::trunc(x / 2); });
}

TEST_CASE("div of integers keeps them with a rounding mode" * doctest::test_suite("at the line")) {
    test::for_each_mode([] {
        const Tensor a = tensor({7, -7, 7, -7}, kInt), b = tensor({2, 2, -2, -2});
        check<int64_t>(div(a, b, "trunc"), {4}, {3, -3, -3, 3});
        check<int64_t>(div(a, b, "floor"), {4}, {3, -4, -4, 3});
        check<float>(div(a, b, nullopt), {4}, {3.5, -3.5, -3.5, 3.5});
        check<int32_t>(a.div(2, "trunc"), {4}, {3, -3, 3, -3});
        check<float>(a.div(2.0, "trunc"), {4}, {3, -3, 3, -3});
        const Tensor least = tensor({INT64_MIN, INT64_MIN});
        check<int64_t>(div(least, tensor({-1, 3}), "trunc"), {2}, {INT64_MIN, INT64_MIN / 3});
        check<uint8_t>(div(tensor({200}, kByte), tensor({7}, kByte), "trunc"), {1}, {28});
        Tensor w = tensor({7, -7});
        w.div_(2, "trunc");
        check<int64_t>(w, {2}, {3, -3});
        w.divide_(tensor({2, 2}), "floor");
        check<int64_t>(w, {2}, {1, -2});
    });
    CHECK_ERROR(Error, div(zeros({1}), 2, "up"),
                "[div] the rounding mode is unknown; got \"up\", expected \"trunc\", \"floor\" or "
                "none; try \"floor\", or leaving it out for true division");
    CHECK_ERROR(Error, tensor({1}).div_(2, nullopt),
                "[div_] result type Float can't be cast to the desired output type Long; got a "
                "Float result for a Long tensor, expected a Float tensor; try the out-of-place "
                "form, or .to(kFloat) first");
    CHECK_THROWS_AS(div(tensor({1}), tensor({0}), "trunc").eval(), Error);
    Tensor x = ones({3, 3});
    CHECK_THROWS_AS(x.div_(x.t(), "floor"), Error);
}

TEST_CASE("a narrow quotient is rounded once") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kHalf, kBFloat16}) {
            const Tensor a = (arange(200, kDouble) - 100).to(dtype), b = full({}, 7.0, dtype);
            const Tensor exact = ((a.to(kFloat) / b.to(kFloat)).trunc()).to(dtype);
            CHECK(equal(div(a, b, "trunc"), exact));
        }
    });
}

TEST_CASE("alpha of sums") {
    test::for_each_mode([] {
        const Tensor a = tensor({1.0, 2.0}), b = tensor({10.0, 20.0});
        check<float>(add(a, b, 2), {2}, {21, 42});
        check<float>(add(a, 3, 0.5), {2}, {2.5, 3.5});
        check<float>(subtract(a, b, 2), {2}, {-19, -38});
        check<float>(a.subtract(3, 2), {2}, {-5, -4});
        check<float>(rsub(a, b, 2), {2}, {8, 16});
        check<float>(rsub(a, 3, 2), {2}, {1, -1});
        check<int64_t>(rsub(tensor({1, 2}), 3, 2), {2}, {1, -1});
        check<float>(rsub(tensor({1, 2}), 0.5, 2.0), {2}, {-1.5, -3.5});
        Tensor w = tensor({1.0, 2.0});
        w.add_(3, 2).subtract_(b, 0.5).sub_(1, 2);
        check<float>(w, {2}, {0, -4});
    });
    CHECK_ERROR(Error, rsub(tensor({1}), 3, 0.5),
                "[rsub] alpha is not an integer; got 0.5 for Long, expected an integer; try "
                ".to(kFloat) first");
}
