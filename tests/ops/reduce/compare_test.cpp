#include "tests/ops/cases.hpp"

#include <sinter/functions/reductions.hpp>

using namespace sinter;

TEST_CASE("equal") {
    test::for_each_mode([] {
        Tensor a = tensor({1.0, 2.0});
        CHECK(equal(a, a + 0));
        CHECK_FALSE(equal(a, a + 1));
        CHECK_FALSE(equal(a, a.unsqueeze(0)));
        CHECK(equal(zeros({0}), zeros({0})));
        CHECK(equal(ones({2}), ones({2}, kLong)));  // dtypes are promoted
        CHECK_FALSE(equal(tensor({1.5}), tensor({1})));
        CHECK_FALSE(equal(full({1}, std::numeric_limits<double>::quiet_NaN()),
                          full({1}, std::numeric_limits<double>::quiet_NaN())));
    });
}

TEST_CASE("allclose") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    test::for_each_mode([&] {
        Tensor a = tensor({1.0, 100.0});
        CHECK(allclose(a, a * 1.000001));
        CHECK_FALSE(allclose(a, a * 1.001));
        CHECK(allclose(a, a * 1.001, 1e-2));
        CHECK(allclose(tensor({inf}), tensor({inf})));
        CHECK_FALSE(allclose(tensor({inf}), tensor({-inf})));
        CHECK_FALSE(allclose(tensor({1.0}), tensor({inf})));
        CHECK_FALSE(allclose(tensor({nan}), tensor({nan})));
        CHECK(allclose(tensor({nan}), tensor({nan}), 1e-5, 1e-8, true));
        CHECK(allclose(tensor({1, 2}), tensor({1, 2})));
        CHECK_FALSE(allclose(tensor({1, 2}), tensor({1, 3})));
    });
    CHECK_ERROR(Error, allclose(zeros({1}), zeros({1}), -1, 0),
                "[allclose] a tolerance is negative or NaN; got rtol -1 and atol 0, expected 0 or "
                "more; try the defaults, rtol = 1e-5 and atol = 1e-8");
}

TEST_CASE("isclose") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    test::for_each_mode([&] {
        Tensor a = tensor({1.0, 100.0, inf, -inf, nan, inf});
        Tensor b = tensor({1.000001, 101.0, inf, inf, nan, 1.0});
        test::check<bool>(a.isclose(b), {6}, {true, false, true, false, false, false});
        test::check<bool>(isclose(a, b, 0.02), {6}, {true, true, true, false, false, false});
        test::check<bool>(isclose(a, b, 0, 0, true), {6}, {false, false, true, false, true, false});
        test::check<bool>(isclose(a, b, 0, 2), {6}, {true, true, true, false, false, false});
        test::check<bool>(isclose(tensor({{1.0}, {2.0}}), tensor({1.0, 2.0})), {2, 2},
                          {true, false, false, true});
        test::check<bool>(isclose(tensor({1, 100, 7}), tensor({1, 101, 8}), 0.01), {3},
                          {true, true, false});
        const int64_t big = int64_t{1} << 62;  // equal only as integers
        test::check<bool>(isclose(tensor({big, big}), tensor({big, big + 1}), 0, 0), {2},
                          {true, false});
        test::check<bool>(isclose(tensor({true, false}), tensor({true, true})), {2}, {true, false});
        CHECK(a.slice(0, 0, 1).allclose(b.slice(0, 0, 1)));
        CHECK(a.slice(0, 0, 3).equal(a.slice(0, 0, 3) + 0));
    });
    CHECK_ERROR(Error, isclose(zeros({1}), zeros({1}, kLong)),
                "[isclose] the operands' dtypes differ; got Float and Long, expected the same "
                "dtype; try .to(kFloat) on the second");
    CHECK_ERROR(Error, isclose(zeros({1}), zeros({1}), 1, -1),
                "[isclose] a tolerance is negative or NaN; got rtol 1 and atol -1, expected 0 or "
                "more; try the defaults, rtol = 1e-5 and atol = 1e-8");
}
