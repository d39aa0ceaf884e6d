#include "tests/ops/check.hpp"

#include <cmath>

using namespace sinter;
using test::check;

TEST_CASE("add and sub with alpha") {
    test::for_each_mode([] {
        Tensor a = tensor({1.0, 2.0}), b = tensor({10.0, 20.0});
        check<float>(a.add(b, 0.5), {2}, {6, 12});
        check<float>(a.sub(b, 2), {2}, {-19, -38});
        check<int64_t>(tensor({1, 2}).add(tensor({3, 4}, kInt), 3), {2}, {10, 14});
        a.add_(b, 2).sub_(b, 1);
        check<float>(a, {2}, {11, 22});
    });
    CHECK_ERROR(Error, tensor({1}).add(tensor({1}), 0.5),
                "[add] alpha is not an integer; got 0.5 for Long, expected an integer; try "
                ".to(kFloat) first");
    CHECK_ERROR(Error, tensor({1}).add(tensor({1}), true),
                "[add] alpha is a boolean; got true for Long, expected a number; try 1 or 0");
}

TEST_CASE("pow with the exponents that are rewritten") {
    test::for_each_mode([] {
        Tensor a = tensor({4.0, 0.25});
        check<float>(a.pow(2), {2}, {16, 0.0625});
        check<float>(a.pow(3), {2}, {64, 0.015625});
        check<float>(a.pow(1), {2}, {4, 0.25});
        check<float>(a.pow(0), {2}, {1, 1});
        check<float>(a.pow(0.5), {2}, {2, 0.5});
        check<float>(a.pow(-0.5), {2}, {0.5, 2});
        check<float>(a.pow(-1), {2}, {0.25, 4});
        check<float>(a.pow(-2), {2}, {0.0625, 16});
        check<int64_t>(tensor({-3, 2}).pow(3), {2}, {-27, 8});
        check<int64_t>(tensor({-3, 2}).pow(0), {2}, {1, 1});
        check<float>(tensor({9, 4}).pow(0.5), {2}, {3, 2});
        check<float>(tensor({3, 4}).pow(2.0), {2}, {9, 16});
        a.pow_(2);
        check<float>(a, {2}, {16, 0.0625});
    });
    CHECK_ERROR(Error, tensor({2}).pow(-1),
                "[pow] Integers to negative integer powers are not allowed; got exponent -1 for "
                "Long, expected an exponent of 0 or more; try .to(kFloat) first");
}

TEST_CASE("pow with other exponents") {
    test::for_each_mode([] {
        check<int64_t>(tensor({2, 3}).pow(5), {2}, {32, 243});
        check<double>(tensor({2.0}, kDouble).pow(tensor({4.0}, kDouble)), {1}, {16});
        check<int64_t>(tensor({2, 1, -1}).pow(tensor({-1, -1, -1})), {3}, {0, 1, -1});
        check<double>(pow(2, tensor({3.0, -1.0}, kDouble)), {2}, {8, 0.5});
        Tensor a = tensor({2.0}, kDouble);
        a.pow_(a);
        check<double>(a, {1}, {4});
    });
}

TEST_CASE("truth values to the power of one") {
    test::for_each_mode([] {
        const Tensor b = tensor({true, false});
        check<bool>(b.pow(true), {2}, {true, false});
        check<bool>(b.pow(false), {2}, {true, true});
        check<int64_t>(b.pow(1), {2}, {1, 0});
        check<bool>(b.clone().pow_(false), {2}, {true, true});
    });
}

TEST_CASE("clamp_min and clamp_max bring a number into the range of integers") {
    test::for_each_mode([] {
        const Tensor u = tensor({0, 200}, kByte);
        check<uint8_t>(clamp_min(u, -1), {2}, {0, 200});
        check<uint8_t>(u.clamp_max(300), {2}, {0, 200});
        check<uint8_t>(clamp_min(u + 1, -1) + 1, {2}, {2, 202});
        check<uint8_t>(u.clone().clamp_min_(-1), {2}, {0, 200});
        Tensor out = empty({0}, kByte);
        check<uint8_t>(clamp_max_out(out, u, 300), {2}, {0, 200});
        check<float>(clamp_min(u, -0.5), {2}, {0, 200});
    });
    CHECK_ERROR(Error, clamp_min(zeros({1}, kByte), 300),
                "[clamp_min] no value of the dtype is within the bound; got min 300 for Byte, "
                "expected a min of at most 255; try .to(kLong) first");
    CHECK_ERROR(Error, zeros({1}, kByte).clamp_max_(-1),
                "[clamp_max_] no value of the dtype is within the bound; got max -1 for Byte, "
                "expected a max of at least 0; try .to(kLong) first");
}

TEST_CASE("clamp with one bound or two") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    test::for_each_mode([&] {
        Tensor a = tensor({-2.0, 0.5, 2.0});
        check<float>(a.clamp(-1, 1), {3}, {-1, 0.5, 1});
        check<float>(a.clamp(0), {3}, {0, 0.5, 2});
        check<float>(a.clamp(nullopt, 0), {3}, {-2, 0, 0});
        check<float>(a.clamp(1, -1), {3}, {-1, -1, -1});
        check<float>(clamp(tensor({double(nan)}), 0, 1), {1}, {nan});
        check<float>(tensor({1, 5}).clamp(1.5), {2}, {1.5, 5});
        a.clamp_(-1, 1);
        check<float>(a, {3}, {-1, 0.5, 1});
    });
    CHECK_ERROR(Error, zeros({1}).clamp(optional<Scalar>()),
                "[clamp] min and max are both missing; got nullopt and nullopt, expected at least "
                "one of them; try clone() for a copy");
    CHECK_ERROR(Error, tensor({1}).clamp_(0.5),
                "[clamp_] result type Float can't be cast to the desired output type Long; got a "
                "Float result for a Long tensor, expected a Float tensor; try the out-of-place "
                "form, or .to(kFloat) first");
}

TEST_CASE("where as a method") {
    test::for_each_mode([] {
        Tensor a = tensor({1.0, 2.0, 3.0});
        check<float>(a.where(a > 1.5, zeros({})), {3}, {0, 2, 3});
    });
}

TEST_CASE("an exponent beside Float counts as it is, not as Float rounds it") {
    test::for_each_mode([] {
        for (ScalarType type : {kFloat, kDouble}) {
            const std::string dtype = sinter::toString(type);
            CAPTURE(dtype);
            const auto power = [type](double base, const Scalar& exponent) {
                return full({9}, base, type).pow(exponent).to(kDouble);
            };
            const double inf = std::numeric_limits<double>::infinity();
            const auto all = [](double x) { return std::vector<double>(9, x); };
            check<double>(power(-1, 2147483647), {9}, all(-1));
            check<double>(power(-1, 16777217.0), {9}, all(-1));
            check<double>(power(-1, 16777218.0), {9}, all(1));
            check<double>(power(2, 1e300), {9}, all(inf));
            check<double>(power(0.5, 1e300), {9}, all(0));
            check<double>(power(2, inf), {9}, all(inf));
            check<double>(power(0, 1e-308), {9}, all(0));
            check<double>(power(0, -1e-308), {9}, all(inf));
            check<double>(power(inf, 1e-308), {9}, all(inf));
            check<double>(power(3, 1e-308), {9}, all(1));
            check<double>(power(-2, 2.00000000001), {9}, all(NAN));
            Tensor t = full({9}, -1.0, type);
            t.pow_(2147483647);
            check<double>(t.to(kDouble), {9}, all(-1));
        }
        // Narrow dtypes round the exponent, as in PyTorch.
        check<float>(full({1}, -1, kHalf).pow(2049).to(kFloat), {1}, {1});
    });
}

TEST_CASE("an exponent that integers cannot hold is refused") {
    test::for_each_mode([] {
        const Tensor t = tensor({1, 2, 3}, kLong);
        check<int64_t>(t.pow((int64_t{1} << 40) + 1), {3}, {1, 0, -5135550532504518653});
        check<int32_t>(t.to(kInt).pow(2147483647), {3}, {1, 0, -1431655765});
        check<uint8_t>(t.to(kByte).pow(255), {3}, {1, 0, 171});
        check<int64_t>(tensor({true, false}).pow(int64_t{1} << 40), {2}, {1, 0});
        CHECK_ERROR(
            ValueError, t.to(kInt).pow((int64_t{1} << 40) + 1),
            "[pow] value cannot be converted to type int without overflow; got 1099511627777 for "
            "Int, expected a value that Int can hold; try kLong, a wider dtype");
        CHECK_THROWS_AS(t.to(kInt).pow(int64_t{1} << 31), ValueError);
        CHECK_THROWS_AS(t.to(kChar).pow(128), ValueError);
        CHECK_THROWS_AS(t.to(kByte).pow(256), ValueError);
        CHECK_THROWS_AS(t.to(kHalf).pow(2147483647), ValueError);
        CHECK_THROWS_AS(t.to(kBFloat16).pow(1e39), ValueError);
        Tensor i = t.to(kInt);
        CHECK_THROWS_AS(i.pow_(int64_t{1} << 40), ValueError);
        check<int32_t>(i, {3}, {1, 2, 3});
    });
}
