#include "tests/ops/cases.hpp"

#include <sinter/functions/reductions.hpp>

using namespace sinter;
using test::check;
using test::plain;

TEST_CASE("integrals by trapezoids") {
    test::for_each_mode([] {
        Tensor y = tensor({{1.0, 5.0, 10.0}, {2.0, 2.0, 2.0}});
        check<float>(trapezoid(y), {2}, {10.5, 4});
        check<float>(trapezoid(y, 2), {2}, {21, 8});
        check<float>(trapz(y, 0.5, 0), {3}, {0.75, 1.75, 3});
        check<float>(trapezoid(y, tensor({0.0, 1.0, 3.0})), {2}, {3 + 15, 6});
        check<float>(trapz(y, tensor({1.0, 4.0}), 0), {3}, {4.5, 10.5, 18});
        check<float>(trapezoid(y, tensor({{0.0, 1.0, 2.0}, {0.0, 2.0, 4.0}})), {2}, {10.5, 8});
        check<float>(trapezoid(y.t(), tensor({{0.0}, {1.0}, {3.0}}), 0), {2}, {18, 6});
        check<float>(trapezoid(tensor({1, 2, 4})), {}, {4.5});
        check<float>(trapezoid(zeros({2, 0})), {2}, {0, 0});
        check<float>(trapezoid(zeros({2, 1})), {2}, {0, 0});
        check<float>(trapezoid(zeros({0, 2}), zeros({0}), 0), {2}, {0, 0});
    });
    CHECK_ERROR(NotImplementedError, trapezoid(tensor({true})),
                "[trapezoid] booleans are not supported; got Bool, expected a numeric dtype; try "
                ".to(kLong) first");
    CHECK_ERROR(
        Error, trapezoid(zeros({2, 3}), zeros({2})),
        "[trapezoid] the numbers of samples and coordinates differ; got 2 coordinates for 3 "
        "samples in dimension 1, expected 3 coordinates; try one number for equal spacing");
    CHECK_ERROR(Error, trapezoid(zeros({2}), true),
                "[trapezoid] dx is a boolean; got true, expected a number; try 1, the default");
    CHECK_ERROR(IndexError, trapezoid(zeros({})),
                "[trapezoid] the tensor has too few dimensions; got a 0-d tensor, expected at "
                "least 1 dimension; try unsqueeze(0) first");
}

TEST_CASE("integrals up to each sample") {
    test::for_each_mode([] {
        Tensor y = tensor({{1.0, 5.0, 10.0}, {2.0, 2.0, 2.0}});
        check<float>(cumulative_trapezoid(y), {2, 2}, {3, 10.5, 2, 4});
        check<float>(cumulative_trapezoid(y, 2, 0), {1, 3}, {3, 7, 12});
        check<float>(cumulative_trapezoid(y, tensor({0.0, 1.0, 3.0})), {2, 2}, {3, 18, 2, 6});
        check<float>(cumulative_trapezoid(tensor({1, 2, 4})), {2}, {1.5, 4.5});
        check<float>(cumulative_trapezoid(zeros({2, 1})), {2, 0}, {});
        // The last element is the whole integral.
        const Tensor z = test::some_values({3, 4, 5}, kDouble, 1);
        const Tensor x = test::some_values({4}, kDouble, 2);
        test::check_near(cumulative_trapezoid(z, x, 1).select(1, -1), plain(trapezoid(z, x, 1)),
                         1e-12);
    });
    CHECK_ERROR(NotImplementedError, cumulative_trapezoid(tensor({true})),
                "[cumulative_trapezoid] booleans are not supported; got Bool, expected a numeric "
                "dtype; try .to(kLong) first");
    CHECK_ERROR(
        Error, cumulative_trapezoid(zeros({2, 3}), zeros({2})),
        "[cumulative_trapezoid] the numbers of samples and coordinates differ; got 2 coordinates "
        "for 3 samples in dimension 1, expected 3 coordinates; try one number for equal spacing");
    CHECK_ERROR(IndexError, cumulative_trapezoid(zeros({})),
                "[cumulative_trapezoid] the tensor has too few dimensions; got a 0-d tensor, "
                "expected at least 1 dimension; try unsqueeze(0) first");
}
