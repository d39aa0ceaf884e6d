#include "tests/ops/pointwise/pointwise_check.hpp"
#include "tests/support/compiler.hpp"

#include <sinter/functions/pointwise.hpp>

using namespace sinter;
using test::check;
using test::inf64;
using test::nan64;

namespace {}  // namespace

TEST_CASE("activations against plain loops") {
    using test::check_unary;
    check_unary([](const Tensor& x) { return gelu(x); },
                [](double x) { return x * std::erfc(-x * M_SQRT1_2) / 2; },
                32);  // error of the reference, whose argument is rounded
    check_unary([](const Tensor& x) { return gelu(x, "tanh"); },
                [](double x) {
                    const double z = 2 * std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
                    return x / (1 + std::exp(-z));
                },
                16000);  // 1 + tanh cancels below zero, as in PyTorch
    check_unary([](const Tensor& x) { return elu(x, 1.5, 2, 0.5); },
                [](double x) { return x > 0 ? 2 * x : 3 * std::expm1(x * 0.5); });
    check_unary([](const Tensor& x) { return celu(x, 2); },
                [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); });
    check_unary([](const Tensor& x) { return selu(x); },
                [](double x) {
                    const double scale = 1.0507009873554805;
                    return x > 0 ? scale * x : scale * 1.6732632423543772 * std::expm1(x);
                });
    check_unary([](const Tensor& x) { return leaky_relu(x, 0.25); },
                [](double x) { return x > 0 ? x : 0.25 * x; });
    check_unary([](const Tensor& x) { return hardtanh(x, -0.5, 2); },
                [](double x) { return std::min(std::max(x, -0.5), 2.0); });
    check_unary([](const Tensor& x) { return threshold(x, 0.5, -8); },
                [](double x) { return x > 0.5 ? x : -8; });
    check_unary([](const Tensor& x) { return softplus(x, 2, 5); },
                [](double x) { return 2 * x > 5 ? x : std::log1p(std::exp(2 * x)) / 2; });
    check_unary([](const Tensor& x) { return hardshrink(x, 1); },
                [](double x) { return std::fabs(x) <= 1 ? 0 : x; });
    check_unary([](const Tensor& x) { return softshrink(x, 0.5); },
                [](double x) { return x > 0.5    ? x - 0.5
                                      : x < -0.5 ? x + 0.5
                                                 : 0; });
}

TEST_CASE("activations that write") {
    using test::check_writing;
#define SINTER_CHECK_WRITING(name, ...)                                   \
    check_writing([](const Tensor& x) { return name(x, ##__VA_ARGS__); }, \
                  [](const Tensor& x) -> Tensor& { return name##_(x, ##__VA_ARGS__); })
    SINTER_CHECK_WRITING(gelu);
    SINTER_CHECK_WRITING(gelu, "tanh");
    SINTER_CHECK_WRITING(elu, 2);
    SINTER_CHECK_WRITING(celu, 2);
    SINTER_CHECK_WRITING(selu);
    SINTER_CHECK_WRITING(leaky_relu);
    SINTER_CHECK_WRITING(hardtanh, 0, 1);
    SINTER_CHECK_WRITING(threshold, 1, 2);
    SINTER_CHECK_WRITING(silu);
    SINTER_CHECK_WRITING(exp2);
#undef SINTER_CHECK_WRITING
}

TEST_CASE("activations at special values") {
    test::for_each_mode([] {
        const Tensor x = tensor({-inf64, -0.0, 0.0, inf64, nan64}, kDouble);
        check<double>(gelu(x), {5}, {nan64, -0.0, 0, inf64, nan64});
        check<double>(elu(x), {5}, {-1, -0.0, 0, inf64, nan64});
        check<double>(leaky_relu(x), {5}, {-inf64, -0.0, 0, inf64, nan64});
        check<double>(hardtanh(x), {5}, {-1, -0.0, 0, 1, nan64});
        check<double>(threshold(x, 0, 7), {5}, {7, 7, 7, inf64, nan64});
        check<double>(hardshrink(x), {5}, {-inf64, 0, 0, inf64, nan64});
        check<double>(softshrink(x), {5}, {-inf64, -0.0, 0, inf64, nan64});
        check<double>(softplus(x, 1), {5}, {0, std::log(2.0), std::log(2.0), inf64, nan64});
    });
}

TEST_CASE("hardtanh and threshold keep integers") {
    test::for_each_mode([] {
        const Tensor i = tensor({-3, 0, 9});
        check<int64_t>(hardtanh(i, -1.5, 6.5), {3}, {-1, 0, 6});
        check<int64_t>(threshold(i, 0.5, 7.5), {3}, {7, 7, 9});
        check<uint8_t>(hardtanh(tensor({3, 9}, kByte), 0, 6), {2}, {3, 6});
        check<uint8_t>(hardtanh(tensor({0, 9}, kByte)), {2}, {0, 1});
        check<uint8_t>(hardtanh(tensor({3, 9}, kByte), -300, 300), {2}, {3, 9});
    });
    CHECK_ERROR(Error, hardtanh(tensor({3}, kByte), -3, -1),
                "[hardtanh] no value of the dtype is within the bound; got max -1 for Byte, "
                "expected a max of at least 0; try .to(kLong) first");
    CHECK_ERROR(ValueError, threshold(tensor({3}, kByte), 0, 300),
                "[threshold] value cannot be converted to type uint8_t without overflow; got 300 "
                "for Byte, expected a value that Byte can hold; try kLong, a wider dtype");
}

TEST_CASE("prelu weighs channels") {
    test::for_each_mode([] {
        const Tensor x = tensor({{-1.0, -1.0}, {2.0, -4.0}});
        check<float>(prelu(x, tensor({0.5, 0.25})), {2, 2}, {-0.5, -0.25, 2, -1});
        check<float>(x.prelu(tensor({0.5})), {2, 2}, {-0.5, -0.5, 2, -2});
        check<float>(prelu(x.unsqueeze(-1), tensor({0.5, 0.25})), {2, 2, 1}, {-0.5, -0.25, 2, -1});
        check<float>(prelu(scalar_tensor(-2.0), scalar_tensor(0.5)), {}, {-1});
    });
    CHECK_ERROR(Error, prelu(zeros({2, 3}), zeros({2})),
                "[prelu] the weight does not match the channels; got shape [2] for shape [2, 3], "
                "expected 1 or 3 weights; try one weight for all channels");
    CHECK_ERROR(Error, prelu(zeros({2, 3}), zeros({3, 1})),
                "[prelu] the weight has too many dimensions; got shape [3, 1], expected at most 1 "
                "dimension; try flatten() on the weight");
    CHECK_ERROR(Error, prelu(zeros({2, 3}), zeros({3}, kDouble)),
                "[prelu] the operands' dtypes differ; got Float and Double, expected the same "
                "dtype; try .to(kDouble) on the first");
}

TEST_CASE("activations refuse what PyTorch refuses") {
    const Tensor i = tensor({1, 2});
    CHECK_ERROR(NotImplementedError, gelu(i),
                "[gelu] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
    for (const auto& call :
         {+[](const Tensor& t) { elu_(t); }, +[](const Tensor& t) { celu(t); },
          +[](const Tensor& t) { selu(t); }, +[](const Tensor& t) { leaky_relu(t); },
          +[](const Tensor& t) { softplus(t, 1); }, +[](const Tensor& t) { hardshrink(t); },
          +[](const Tensor& t) { softshrink(t); },
          +[](const Tensor& t) { prelu(t, t.slice(0, 0, 1)); }}) {
        CHECK_THROWS_AS(call(i), NotImplementedError);
        CHECK_THROWS_AS(call(tensor({true})), NotImplementedError);
    }
    for (const auto& call : {+[](const Tensor& t) { Tensor r = silu(t); },
                             +[](const Tensor& t) { Tensor r = mish(t); },
                             +[](const Tensor& t) { Tensor r = softplus(t); },
                             +[](const Tensor& t) { Tensor r = log_sigmoid(t); },
                             +[](const Tensor& t) { Tensor r = hardsigmoid(t); },
                             +[](const Tensor& t) { Tensor r = hardswish(t); },
                             +[](const Tensor& t) { Tensor r = frac(t); },
                             +[](const Tensor& t) { Tensor r = hypot(t, t); },
                             +[](const Tensor& t) { Tensor r = logaddexp(t, t); },
                             +[](const Tensor& t) { Tensor r = logaddexp2(t, t); },
                             +[](const Tensor& t) { Tensor r = nextafter(t, t); }}) {
        CHECK_THROWS_AS(call(i), NotImplementedError);
        CHECK_THROWS_AS(call(tensor({true})), NotImplementedError);
    }
    CHECK_ERROR(NotImplementedError, silu(i),
                "[silu] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
    CHECK_ERROR(NotImplementedError, hardtanh(tensor({true})),
                "[hardtanh] booleans are not supported; got Bool, expected a numeric dtype; try "
                ".to(kLong) first");
    CHECK_ERROR(NotImplementedError, relu(tensor({true})),
                "[relu] booleans are not supported; got Bool, expected a numeric dtype; try a "
                "logical operation such as logical_xor(), or .to(kByte) first");
    CHECK_ERROR(Error, gelu(zeros({1}), "sigmoid"),
                "[gelu] the approximation is unknown; got \"sigmoid\", expected \"none\" or "
                "\"tanh\"; try \"none\", the default");
    CHECK_ERROR(Error, celu(zeros({1}), 0),
                "[celu] alpha is 0; got 0, expected a number other than 0; try 1, the default");
    CHECK_ERROR(
        Error, softshrink(zeros({1}), -1),
        "[softshrink] lambd is negative or NaN; got -1, expected 0 or more; try 0.5, the default");
}

TEST_CASE("an activation is one kernel with what it reads") {
    if (!test::has_compiler()) return;
    ModeGuard guard(Mode::lazy);
    const Tensor x = test::grid(kFloat);
    x.eval();
    const uint64_t before = stats().kernels_launched;
    Tensor y = gelu(x * 2, "tanh") + elu(x, 2);
    y.eval();
    CHECK(stats().kernels_launched - before == 1);
}
