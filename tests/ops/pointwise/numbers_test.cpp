#include "tests/ops/pointwise/pointwise_check.hpp"

#include <sinter/functions/pointwise.hpp>

using namespace sinter;
using test::check;
using test::inf64;
using test::nan64;

namespace {}  // namespace

TEST_CASE("nan_to_num replaces by the dtype's own limits") {
    test::for_each_mode([] {
        for (ScalarType dtype : test::floats) {
            CAPTURE(dtype);
            const Tensor x = tensor({nan64, inf64, -inf64, 1.5}, kDouble).to(dtype);
            const double largest = finfo(dtype).max;
            test::check_near(nan_to_num(x), dtype, {4}, {0, largest, -largest, 1.5}, 0);
            test::check_near(x.nan_to_num(2, 3, -4), dtype, {4}, {2, 3, -4, 1.5}, 0);
            test::check_near(x.nan_to_num(nullopt, nullopt, 5), dtype, {4}, {0, largest, 5, 1.5},
                             0);
            Tensor w = x.clone();
            nan_to_num_(w, -1);
            test::check_near(w, dtype, {4}, {-1, largest, -largest, 1.5}, 0);
        }
        check<int64_t>(nan_to_num(tensor({1, 2}), 7), {2}, {1, 2});
        check<bool>(nan_to_num(tensor({true, false})), {2}, {true, false});
    });
}

TEST_CASE("logit with eps") {
    test::for_each_mode([] {
        const Tensor x = tensor({0.0, 0.25, 0.5, 1.0, 2.0, nan64}, kDouble);
        test::check_near(logit(x, 0.125), kDouble, {6},
                         {-std::log(7.0), -std::log(3.0), 0, std::log(7.0), std::log(7.0), nan64});
        test::check_near(logit(x, nullopt), kDouble, {6},
                         {-inf64, -std::log(3.0), 0, inf64, nan64, nan64});
        test::check_near(logit(tensor({0, 1}), 0.25), kFloat, {2}, {-std::log(3.0), std::log(3.0)});
        Tensor w = x.clone();
        w.logit_(0.25);
        CHECK(equal(w.nan_to_num(9), x.logit(0.25).nan_to_num(9)));
    });
}

TEST_CASE("ldexp and frexp are inverse to each other") {
    test::for_each_mode([] {
        for (ScalarType dtype : test::floats) {
            CAPTURE(dtype);
            for (const Tensor& x : test::views_of(test::grid(dtype))) {
                const auto [mantissa, exponent] = frexp(x);
                CHECK((exponent.scalar_type() == kInt));
                CHECK((mantissa.scalar_type() == dtype));
                std::vector<double> m = test::doubles(x), e = m;
                for (std::size_t i = 0; i < m.size(); ++i) {
                    int power = 0;
                    m[i] = std::frexp(m[i], &power);
                    e[i] = power;
                }
                test::check_near(mantissa, dtype, x.sizes(), m, 0);
                test::check_near(exponent, kInt, x.sizes(), e, 0);
                CHECK(equal(ldexp(mantissa, exponent), x));
            }
        }
        const Tensor special = tensor({inf64, -inf64, 0.0, 0x1p-1074, -0x1.8p1023}, kDouble);
        check<double>(std::get<0>(special.frexp()), {5}, {inf64, -inf64, 0, 0.5, -0.75});
        check<int32_t>(std::get<1>(special.frexp()), {5}, {0, 0, 0, -1073, 1024});
        check<double>(ldexp(tensor({0.75}, kDouble), tensor({1.5})), {1}, {0.75 * std::exp2(1.5f)});
        check<float>(ldexp(tensor({3}), tensor({2})), {1}, {12});
        // Powers of two outside the range of the type, whose product is inside it.
        check<float>(ldexp(tensor({1e-10}, kFloat), tensor({130, -300})), {2},
                     {0x1p130 * 1e-10f, 0});
        check<double>(
            ldexp(tensor({0x1p-1074, 0.0, inf64}, kDouble), tensor({2097, 30000, -30000})), {3},
            {0x1p1023, 0, inf64});
        CHECK((ldexp(tensor({1.5}, kHalf), tensor({2})).scalar_type() == kHalf));
        Tensor w = tensor({1.0, 3.0});
        w.ldexp_(tensor({2, -1}));
        check<float>(w, {2}, {4, 1.5});
    });
    CHECK_ERROR(NotImplementedError, ldexp(tensor({1.0}), tensor({true})),
                "[ldexp] booleans are not supported; got an exponent of dtype Bool, expected a "
                "numeric dtype; try .to(kInt) on the exponent");
    CHECK_ERROR(NotImplementedError, frexp(tensor({1})),
                "[frexp] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
}

TEST_CASE("float_power is of doubles") {
    test::for_each_mode([] {
        check<double>(float_power(tensor({2, 3}), -1), {2}, {0.5, 1.0 / 3});
        check<double>(float_power(tensor({2.0f}), tensor({10})), {1}, {1024});
        check<double>(float_power(2, tensor({-2, 3})), {2}, {0.25, 8});
        Tensor w = tensor({4.0}, kDouble);
        w.float_power_(0.5).float_power_(tensor({3}));
        check<double>(w, {1}, {8});
    });
    CHECK_ERROR(Error, zeros({1}).float_power_(2),
                "[float_power_] the result has dtype Double; got a Float tensor, expected a Double "
                "tensor; try float_power(), or .to(kDouble) first");
}

TEST_CASE("mvlgamma is the sum of its definition") {
    for (int64_t p : {1, 2, 5}) {
        CAPTURE(p);
        test::for_each_mode([&] {
            const Tensor x = (test::grid(kDouble) + 8).t();
            std::vector<double> expected = test::doubles(x);
            for (double& e : expected) {
                double sum = 0.25 * static_cast<double>(p * (p - 1)) * std::log(M_PI);
                for (int64_t j = 0; j < p; ++j)
                    sum += std::lgamma(e - 0.5 * static_cast<double>(j));
                e = sum;
            }
            test::check_near(mvlgamma(x, p), kDouble, x.sizes(), expected, 16);
            test::check_near(x.clone().mvlgamma_(p), kDouble, x.sizes(), expected, 16);
        });
    }
    CHECK((mvlgamma(tensor({3}), 2).scalar_type() == kFloat));
    CHECK_ERROR(
        Error, mvlgamma(zeros({1}), 0),
        "[mvlgamma] p is less than 1; got 0, expected 1 or more; try 1, which gives lgamma()");
}

TEST_CASE("angle, isreal, positive") {
    test::for_each_mode([] {
        check<double>(angle(tensor({-2.0, -0.0, 3.0, nan64, -inf64}, kDouble)), {5},
                      {M_PI, 0, 0, nan64, M_PI});
        check<float>(tensor({-1, 1}).angle(), {2}, {static_cast<float>(M_PI), 0});
        check<bool>(isreal(zeros({2, 1})), {2, 1}, {true, true});
        const Tensor x = tensor({1.0});
        CHECK(positive(x).is_same(x));
        CHECK(x.conj().is_same(x));
        CHECK(real(x).is_same(x));
    });
    CHECK_ERROR(TypeError, imag(zeros({1})),
                "[imag] the tensor is real; got Float, expected a complex dtype; try zeros_like(), "
                "the imaginary part of a real tensor");
    CHECK_ERROR(NotImplementedError, positive(tensor({true})),
                "[positive] booleans are not supported; got Bool, expected a numeric dtype; try "
                ".to(kLong) first");
}

TEST_CASE("round to decimal places") {
    test::for_each_mode([] {
        const Tensor x = tensor({1.235, -1.25, 15.0, 25.0, 1234.5}, kDouble);
        check<double>(round(x, 2), {5}, {1.24, -1.25, 15, 25, 1234.5});
        check<double>(round(x, 1), {5}, {1.2, -1.2, 15, 25, 1234.5});
        check<double>(x.round(-1), {5}, {0, -0.0, 20, 20, 1230});
        check<double>(x.round(0), {5}, {1, -1, 15, 25, 1234});
        check<int64_t>(round(tensor({3}), 0), {1}, {3});
        Tensor w = x.clone();
        check<double>(round_(w, -3), {5}, {0, -0.0, 0, 0, 1000});
    });
    CHECK_ERROR(NotImplementedError, round(tensor({3}), 1),
                "[round] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
}

TEST_CASE("functions of one tensor that write") {
    test::check_writing([](const Tensor& x) { return nan_to_num(x); },
                        [](const Tensor& x) -> Tensor& { return nan_to_num_(x); });
    test::check_writing([](const Tensor& x) { return x.logit(0.25); },
                        [](const Tensor& x) -> Tensor& { return logit_(x, 0.25); });
}
