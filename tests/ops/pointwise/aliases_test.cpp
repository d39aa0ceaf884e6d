#include "tests/ops/check.hpp"

using namespace sinter;
using test::check;
using test::elements;

namespace {

Tensor left() { return tensor({0.5, 1.25, -2.5, -0.0}); }
Tensor right() { return tensor({1.0, 1.25, -3.0, 0.5}); }

void same(const char* name, const Tensor& x, const Tensor& y) {
    CAPTURE(name);
    CHECK((x.scalar_type() == y.scalar_type()));
    test::check<float>(x.to(kFloat), {4}, elements<float>(y.to(kFloat)));
}

}  // namespace

TEST_CASE("an alias is its row, as function, method and method that writes") {
    test::for_each_mode([] {
#define UNARY_ALIAS(alias, row)                 \
    same(#alias, alias(left()), row(left()));   \
    same(#alias, left().alias(), left().row()); \
    same(#alias "_", left().alias##_(), left().row##_());
#define BINARY_ALIAS(alias, row)                                        \
    same(#alias, alias(left(), right()), row(left(), right()));         \
    same(#alias, alias(0.5, right()), row(0.5, right()));               \
    same(#alias, left().alias(right()), left().row(right()));           \
    same(#alias, left().alias(0.5), left().row(0.5));                   \
    same(#alias "_", left().alias##_(right()), left().row##_(right())); \
    same(#alias "_", left().alias##_(0.5), left().row##_(0.5));
#include <sinter/expr/aliases.def>
#undef UNARY_ALIAS
#undef BINARY_ALIAS
        same("clip", clip(left(), -1, 1), clamp(left(), -1, 1));
        same("clip", left().clip(-1), left().clamp(-1));
        same("clip_", left().clip_(-1, 1), left().clamp(-1, 1));
    });
}

TEST_CASE("an error names the method that was called") {
    Tensor i = tensor({1, 2});
    CHECK_ERROR(Error, i.true_divide_(2),
                "[true_divide_] result type Float can't be cast to the desired output type Long; "
                "got a Float result for a Long tensor, expected a Float tensor; try the "
                "out-of-place form, or .to(kFloat) first");
}

TEST_CASE("functions of floats take integers and bool in the default dtype") {
    static constexpr float inf = std::numeric_limits<float>::infinity();
    test::for_each_mode([] {
        const Tensor i = tensor({-1, 0, 4});
        check<float>(atan2(i, 1), {3}, {-0.78539816f, 0, 1.3258177f});
        check<float>(copysign(i, -1), {3}, {-1, -0.0f, -4});
        check<float>(erfinv(tensor({false, true})), {2}, {0, inf});
        check<double>(exp2(tensor({3.0}, kDouble)), {1}, {8});
        check<float>(xlogy(tensor({false, true}), tensor({0, 1})), {2}, {0, 0});
    });
}

TEST_CASE("heaviside, relu6 and rsub keep the dtype, tests return Bool") {
    test::for_each_mode([] {
        const Tensor i = tensor({-1, 0, 9});
        check<int64_t>(heaviside(i, 5), {3}, {0, 5, 1});
        check<int64_t>(gcd(i, 6), {3}, {1, 6, 3});
        check<int64_t>(lcm(i, tensor({4, 4, 6}, kInt)), {3}, {4, 0, 18});
        check<int16_t>(gcd(tensor({12, -18}, kShort), tensor({8, 12}, kByte)), {2}, {4, 6});
        check<bool>(heaviside(tensor({false, true}), tensor({true, false})), {2}, {true, true});
        check<int64_t>(relu6(i), {3}, {0, 0, 6});
        check<int64_t>(rsub(i, 1), {3}, {2, 1, -8});
        check<bool>(signbit(i), {3}, {true, false, false});
        check<bool>(signbit(tensor({false, true})), {2}, {false, false});
        check<bool>(isposinf(i), {3}, {false, false, false});
        constexpr double inf = std::numeric_limits<double>::infinity();
        const Tensor f = tensor({-inf, -0.0, 0.0, inf, inf - inf});
        check<bool>(signbit(f), {5}, {true, true, false, false, false});
        check<bool>(isposinf(f), {5}, {false, false, false, true, false});
        check<bool>(isneginf(f), {5}, {true, false, false, false, false});
        check<float>(heaviside(f, 0.5), {5}, {0, 0.5, 0.5, 1, 0});
    });
    CHECK_ERROR(NotImplementedError, relu6(tensor({true})),
                "[relu6] booleans are not supported; got Bool, expected a numeric dtype; try a "
                "logical operation such as logical_xor(), or .to(kByte) first");
}

TEST_CASE("activations at infinities and NaN are PyTorch's") {
    using limits = std::numeric_limits<float>;
    static constexpr float inf = limits::infinity(), nan = limits::quiet_NaN();
    test::for_each_mode([] {
        const Tensor x = tensor({-inf, -0.0f, 0.0f, inf, nan});
        check<float>(silu(x), {5}, {nan, -0.0f, 0, inf, nan});
        check<float>(mish(x), {5}, {nan, -0.0f, 0, inf, nan});
        check<float>(hardswish(x), {5}, {nan, -0.0f, 0, inf, nan});
        check<float>(hardsigmoid(x), {5}, {0, 0.5, 0.5, 1, nan});
        check<float>(softsign(x), {5}, {nan, -0.0f, 0, nan, nan});
        check<float>(relu6(x), {5}, {0, -0.0f, 0, 6, nan});
        check<float>(softplus(x), {5}, {0, 0.6931472f, 0.6931472f, inf, nan});
        check<float>(log_sigmoid(x), {5}, {-inf, -0.6931472f, -0.6931472f, -0.0f, nan});
        check<float>(sinc(x), {5}, {nan, 1, 1, nan, nan});
        check<float>(erfc(x), {5}, {2, 1, 1, 0, nan});
        check<float>(hypot(x, nan), {5}, {inf, nan, nan, inf, nan});
    });
    check<double>(softplus(tensor({20.5}, kDouble)), {1}, {20.5});
}

TEST_CASE("rows that take some dtypes only") {
    CHECK_ERROR(NotImplementedError, gcd(zeros({1}), 2),
                "[gcd] floating-point numbers are not supported; got Float and Long, expected an "
                "integral dtype; try .to(kLong) first");
    CHECK_ERROR(NotImplementedError, lcm(tensor({true}), tensor({true})),
                "[lcm] floating-point numbers are not supported; got Bool and Bool, expected an "
                "integral dtype; try .to(kLong) first");
    CHECK_ERROR(Error, heaviside(zeros({1}), zeros({1}, kDouble)),
                "[heaviside] the operands' dtypes differ; got Float and Double, expected the same "
                "dtype; try .to(kDouble) on the first");
    CHECK_ERROR(Error, zeros({1}).lgamma().to(kLong).lgamma_(),
                "[lgamma_] result type Float can't be cast to the desired output type Long; got a "
                "Float result for a Long tensor, expected a Float tensor; try the out-of-place "
                "form, or .to(kFloat) first");
    test::for_each_mode(
        [] { check<float>(nextafter(tensor({1.0, 0.0}), 2.0), {2}, {0x1.000002p0f, 0x1p-149f}); });
}
