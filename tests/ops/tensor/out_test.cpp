#include "tests/ops/pointwise/pointwise_check.hpp"

#include <sinter/functions/out.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/warning.hpp>

using namespace sinter;
using test::check;

namespace {

Tensor left() { return tensor({0.5, 1.25, -2.5, -0.0}); }
Tensor right() { return tensor({1.0, 1.25, -3.0, 0.5}); }

/// Checks that `out` holds `expected`, converted to its dtype, and is the returned tensor.
void same(const char* name, const Tensor& out, const Tensor& back, const Tensor& expected) {
    CAPTURE(name);
    CHECK(back.is_same(out));
    const Tensor value = expected.to(out.scalar_type());
    check<double>(out.to(kDouble), {4}, test::elements<double>(value.to(kDouble)));
}

/// Returns true if a row refuses floats.
constexpr bool refuses(op::id row) {
    const dtype_rule rule = op::rows[row].rule;
    return rule == dtype_rule::bitwise || rule == dtype_rule::shift || rule == dtype_rule::whole;
}

/// Returns another dtype to which the result can be written, if there is one.
ScalarType other(op::id row, const Tensor& value) {
    const dtype_rule rule = op::rows[row].rule;
    const bool promotes = rule == dtype_rule::floating || op::rows[row].arity == 2;
    const bool converts = rule != dtype_rule::matched && row != op::rsub;  // as in PyTorch
    return promotes && converts ? kDouble : value.scalar_type();
}

}  // namespace

TEST_CASE("every row and alias has a form that writes into a given tensor") {
    test::for_each_mode([] {
#define SINTER_UNARY(name, row)                         \
    if constexpr (!refuses(op::row)) {                  \
        const Tensor value = name(left());              \
        Tensor out = empty({4}, other(op::row, value)); \
        const Tensor& back = name##_out(out, left());   \
        same(#name, out, back, value);                  \
    }
#define SINTER_BINARY(name, row)                                          \
    if constexpr (!refuses(op::row)) {                                    \
        const Tensor value = name(left(), right());                       \
        Tensor out = empty({4}, other(op::row, value));                   \
        const Tensor& back = name##_out(out, left(), right());            \
        same(#name, out, back, value);                                    \
    } else {                                                              \
        Tensor out = empty({4}, kInt);                                    \
        const Tensor a = tensor({7, 5, -3, 6}), b = tensor({2, 3, 1, 4}); \
        const Tensor& back = name##_out(out, a, b);                       \
        same(#name, out, back, name(a, b));                               \
    }
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY
    });
}

TEST_CASE("numbers on the right, and forms with parameters") {
    test::for_each_mode([] {
        const Tensor a = left(), b = right();
        Tensor out = empty({4});
        same("remainder", out, remainder_out(out, a, 2), remainder(a, 2));
        same("clamp_min", out, clamp_min_out(out, a, 0.25), clamp_min(a, 0.25));
        Tensor flags = empty({4}, kBool);
        same("greater", flags, greater_out(flags, a, 0.25), a > 0.25);
        same("add", out, add_out(out, a, b, 2), a + b * 2);
        same("sub", out, sub_out(out, a, b), a - b);
        same("subtract", out, subtract_out(out, a, b, 0.5), a - b * 0.5);
        same("div", out, div_out(out, a, b, "floor"), floor_divide(a, b));
        same("div", out, div_out(out, a, b), a / b);
        same("pow", out, pow_out(out, a, 2), a * a);
        same("pow", out, pow_out(out, 2, a), pow(2, a));
        same("pow", out, pow_out(out, b, a.abs()), b.pow(a.abs()));
        same("clamp", out, clamp_out(out, a, -1, 1), a.clamp(-1, 1));
        same("clamp", out, clamp_out(out, a, b, nullopt), maximum(a, b));
        same("clip", out, clip_out(out, a, 0), relu(a));
        same("where", out, where_out(out, a > b, a, b), maximum(a, b));
        same("lerp", out, lerp_out(out, a, b, 0.75), lerp(a, b, 0.75));
        same("lerp", out, lerp_out(out, a, b, b), lerp(a, b, b));
        same("addcmul", out, addcmul_out(out, a, b, b, 2), addcmul(a, b, b, 2));
        same("addcdiv", out, addcdiv_out(out, a, a, b), addcdiv(a, a, b));
        same("ldexp", out, ldexp_out(out, a, b), ldexp(a, b));
        same("nan_to_num", out, nan_to_num_out(out, a / 0, 1), nan_to_num(a / 0, 1));
        same("polygamma", out, polygamma_out(out, 2, b), polygamma(2, b));
        same("mvlgamma", out, mvlgamma_out(out, b.abs() + 2, 2), mvlgamma(b.abs() + 2, 2));
        same("angle", out, angle_out(out, a), angle(a));
        same("gelu", out, gelu_out(out, a, "tanh"), gelu(a, "tanh"));
        same("elu", out, elu_out(out, a, 2), elu(a, 2));
        same("leaky_relu", out, leaky_relu_out(out, a), leaky_relu(a));
        same("hardtanh", out, hardtanh_out(out, a), hardtanh(a));
        same("threshold", out, threshold_out(out, a, 1, 2), threshold(a, 1, 2));
        same("softplus", out, softplus_out(out, a, 2), softplus(a, 2));
        same("hardshrink", out, hardshrink_out(out, a), hardshrink(a));
        same("softshrink", out, softshrink_out(out, a), softshrink(a));
        Tensor wide = empty({4}, kDouble);
        same("float_power", wide, float_power_out(wide, b, 2), float_power(b, 2));
        same("float_power", wide, float_power_out(wide, b.abs(), a), float_power(b.abs(), a));
    });
}

TEST_CASE("the address of a form that writes can be taken") {
    Tensor& (*unary)(Tensor&, const Tensor&) = exp_out;
    Tensor& (*binary)(Tensor&, const Tensor&, const Tensor&) = mul_out;
    Tensor& (*scaled)(Tensor&, const Tensor&, const Tensor&, const Scalar&) = add_out;
    auto* named = hypot_out;
    Tensor out = empty({2});
    check<float>(unary(out, zeros({2})), {2}, {1, 1});
    check<float>(binary(out, out, full({}, 3.0)), {2}, {3, 3});
    check<float>(scaled(out, out, ones({2}), 2), {2}, {5, 5});
    check<float>(named(out, full({2}, 3.0), full({2}, 4.0)), {2}, {5, 5});
}

TEST_CASE("an output is written through its view, and may be an operand") {
    test::for_each_mode([] {
        Tensor whole = zeros({2, 3}), column = whole.select(1, 1);
        add_out(column, tensor({1.0, 2.0}), scalar_tensor(10.0));
        check<float>(whole, {2, 3}, {0, 11, 0, 0, 12, 0});
        Tensor kept = column * 1;
        mul_out(column, column, column);
        check<float>(whole, {2, 3}, {0, 121, 0, 0, 144, 0});
        check<float>(kept, {2}, {11, 12});
    });
    Tensor x = ones({3, 3});
    CHECK_THROWS_AS(add_out(x, x.t(), x), Error);
    CHECK_THROWS_AS(lerp_out(x, x.t(), x, 0.5), Error);
    Tensor spread = ones({1}).expand({3});
    CHECK_THROWS_AS(exp_out(spread, ones({3})), Error);
}

namespace {

class counting : public WarningHandler {
public:
    counting() {
        Warning::set_warning_handler(this);
        Warning::set_warnAlways(true);
    }
    ~counting() override {
        Warning::set_warning_handler(nullptr);
        Warning::set_warnAlways(false);
    }
    counting(const counting&) = delete;
    counting& operator=(const counting&) = delete;
    void process(const Warning& warning) override {
        ++count;
        text = warning.msg();
    }
    int count = 0;
    std::string text;
};

}  // namespace

TEST_CASE("a resized output warns if it had elements") {
    counting warnings;
    Tensor out = empty({0});
    exp_out(out, zeros({3}));
    CHECK(warnings.count == 0);
    exp_out(out, zeros({2}));
    CHECK(warnings.count == 1);
    CHECK(warnings.text ==
          "[out] an output with one or more elements was resized; its shape was not the result's; "
          "try an empty tensor as the output, which is resized silently");
    lerp_out(out, zeros({4}), zeros({4}), 0.5);
    CHECK(warnings.count == 2);
    lerp_out(out, zeros({4}), zeros({4}), 0.5);
    CHECK(warnings.count == 2);
}

TEST_CASE("an output of other sizes gets the result's") {
    counting warnings;
    test::for_each_mode([] {
        Tensor out = empty({0}), other = out;
        add_out(out, ones({2, 3}), scalar_tensor(1.0));
        check<float>(out, {2, 3}, {2, 2, 2, 2, 2, 2});
        CHECK(other.is_same(out));
        check<float>(other, {2, 3}, {2, 2, 2, 2, 2, 2});
        exp_out(out, zeros({2}));  // smaller, in the same storage
        check<float>(out, {2}, {1, 1});
        gelu_out(out, zeros({3, 1}));
        check<float>(out, {3, 1}, {0, 0, 0});
        // The output is an operand and gets another size.
        mul_out(out, out, tensor({1.0, 2.0}) + out);
        check<float>(out, {3, 2}, {0, 0, 0, 0, 0, 0});
    });
}

TEST_CASE("an output's dtype must be able to take the result") {
    test::for_each_mode([] {
        Tensor out = empty({2}, kHalf), whole = empty({2}, kInt), flags = empty({2}, kFloat);
        check<float>(exp_out(out, zeros({2})).to(kFloat), {2}, {1, 1});
        check<int32_t>(add_out(whole, tensor({1, 2}), tensor({3, 4})), {2}, {4, 6});
        check<float>(lt_out(flags, tensor({1, 2}), 2), {2}, {1, 0});
    });
    Tensor out = empty({2}, kInt);
    CHECK_ERROR(
        Error, exp_out(out, zeros({5})),
        "[exp_out] result type Float can't be cast to the desired output type Int; got a Float "
        "result for a Int tensor, expected a Float tensor; try empty({0}, kFloat) as the output");
    CHECK(out.sizes() == IntArrayRef({2}));  // unchanged
    CHECK_THROWS_AS(gelu_out(out, zeros({2})), Error);
    Tensor undefined;
    CHECK_THROWS_AS(exp_out(undefined, zeros({2})), Error);
}

TEST_CASE("an output that the result is not converted for") {
    Tensor wide = empty({4}, kDouble);
    CHECK_ERROR(Error, abs_out(wide, left()),
                "[abs_out] the output has the wrong dtype; got Double, expected Float, the "
                "result's dtype; try empty({0}, kFloat) as the output");
    CHECK_ERROR(Error, isposinf_out(wide, left()),
                "[isposinf_out] the output has the wrong dtype; got Double, expected Bool, the "
                "result's dtype; try empty({0}, kBool) as the output");
    CHECK_ERROR(Error, heaviside_out(wide, left(), right()),
                "[heaviside_out] the output has the wrong dtype; got Double, expected Float, the "
                "result's dtype; try empty({0}, kFloat) as the output");
    CHECK_ERROR(Error, where_out(wide, left() > 0, left(), right()),
                "[where_out] the output has the wrong dtype; got Double, expected Float, the "
                "result's dtype; try empty({0}, kFloat) as the output");
    CHECK(equal(sqrt_out(wide, full({4}, 4.0)), full({4}, 2.0, kDouble)));
}
