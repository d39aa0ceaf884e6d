#include "tests/ops/cases.hpp"

#include <sinter/functions/sorting.hpp>

#include <algorithm>

using namespace sinter;
using test::check;
using test::inf64;
using test::nan64;
using test::plain;

namespace {

/// Runs an expression and reads its value; the error comes at the line or later.
template <class F>
std::string error_of(const F& f) {
    try {
        f();
    } catch (const Error& e) {
        return e.what();
    }
    return "nothing";
}

}  // namespace

TEST_CASE("how often each number came") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kByte, kChar, kShort, kInt, kLong}) {
            const Tensor a = tensor({3, 1, 3, 0, 6}).to(dtype);
            check<int64_t>(a.bincount(), {7}, {1, 1, 0, 2, 0, 0, 1});
        }
        const Tensor a = tensor({0, 9, 2, 9, 0, 9}).slice(0, 0, 6, 2);  // 0 2 0
        check<int64_t>(bincount(a), {3}, {2, 0, 1});
        check<int64_t>(bincount(a, nullopt, 5), {5}, {2, 0, 1, 0, 0});
        check<double>(a.bincount(tensor({0.5, 2.0, 0.25}, kDouble)), {3}, {0.75, 0, 2});
        check<float>(a.bincount(tensor({0.5, 2.0, 0.25}), 4), {4}, {0.75, 0, 2, 0});
        check<double>(a.bincount(tensor({1, 2, 3})), {3}, {4, 0, 2});
        check<int64_t>(zeros({0}, kLong).bincount(), {0}, {});
        check<int64_t>(bincount(zeros({0}, kLong), nullopt, 2), {2}, {0, 0});
    });
    CHECK_ERROR(
        Error, tensor({1, -2}).bincount(),
        "[bincount] an element is negative; got -2, expected 0 or more; try clamp_min(0) first");
    CHECK_ERROR(NotImplementedError, zeros({2}).bincount(),
                "[bincount] the dtype is not supported; got Float, expected an integral dtype; try "
                ".to(kLong) first");
    CHECK_ERROR(Error, zeros({2, 2}, kLong).bincount(),
                "[bincount] the tensor is not a vector; got shape [2, 2], expected 1 dimension; "
                "try flatten()");
    CHECK_ERROR(Error, tensor({1}).bincount(zeros({2})),
                "[bincount] the weights' shape does not match the tensor; got shapes [2] and [1], "
                "expected equal shapes; try expand() on the weights");
    CHECK_ERROR(Error, tensor({1}).bincount(nullopt, -1),
                "[bincount] minlength is negative; got -1, expected 0 or more; try 0, the default");
}

TEST_CASE("counts in equal parts of a range") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
            test::for_each_layout(dtype, true, [&](const Tensor& t) {
                // Bins of width 1 from -4 to 4; halves are on edges, so they belong to the upper
                // bin.
                plain expected({8});
                for (double x : plain(t).values)
                    if (x >= -4 && x <= 4)
                        ++expected
                              .values[static_cast<std::size_t>(std::min(7.0, std::floor(x) + 4))];
                const Tensor h = t.histc(8, -4, 4);
                CHECK((h.scalar_type() == dtype));
                test::check_near(h, expected, 0);
            });
        const Tensor a = tensor({1.0, 2.0, 1.0, 4.0});
        check<float>(a.histc(3), {3}, {2, 1, 1});
        check<float>(histc(a, 4, 0, 3), {4}, {0, 2, 1, 0});
        check<float>(full({3}, 5.0).histc(2), {2}, {0, 3});
        check<float>(zeros({0}).histc(2), {2}, {0, 0});
        CHECK(a.histc().sizes() == IntArrayRef(100));
        CHECK(error_of([] { tensor({1.0, nan64}).histc(2).eval(); }) ==
              "[histc] the range is not finite; got nan, expected finite elements, or a range; try "
              "nan_to_num() first, or passing a range");
        CHECK(error_of([] { tensor({1.0, inf64}).histc(2).eval(); }) ==
              "[histc] the range is not finite; got 1 to inf, expected finite elements, or a "
              "range; try nan_to_num() first, or passing a range");
    });
    CHECK_ERROR(NotImplementedError, tensor({1}).histc(),
                "[histc] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
    CHECK_ERROR(Error, zeros({1}).histc(0),
                "[histc] the number of bins is not positive; got 0, expected 1 or more; try 100, "
                "the default");
    CHECK_ERROR(
        Error, zeros({1}).histc(2, 3, 1),
        "[histc] min is greater than max; got 3 to 1, expected min <= max; try swapping them");
    CHECK_ERROR(Error, zeros({1}).histc(2, 0, inf64),
                "[histc] the range is not finite; got 0 to inf, expected finite bounds; try 0 and "
                "0, which take the range of the elements");
}

TEST_CASE("histograms between edges") {
    test::for_each_mode([] {
        const Tensor edges = tensor({-4.0, -1.0, 0.0, 2.0}, kDouble);
        const std::vector<double> e = {-4, -1, 0, 2};
        test::for_each_layout(kDouble, true, [&](const Tensor& t) {
            plain counts({3}), sums({3});
            const Tensor weight = (t.isfinite()) * 0.5 + 1.0;
            const plain x(t), w(weight);
            for (std::size_t i = 0; i < x.values.size(); ++i)
                for (std::size_t k = 0; k < 3; ++k) {
                    const double v = x.values[i];
                    if (!(v >= e[k] && (v < e[k + 1] || (k == 2 && v == e[3])))) continue;
                    ++counts.values[k];
                    sums.values[k] += w.values[i];
                }
            const auto [h, same] = t.histogram(edges);
            test::check_near(h, counts, 0);
            CHECK(equal(same, edges));
            test::check_near(std::get<0>(histogram(t, edges, weight.to(kDouble))), sums, 0);
        });
        const Tensor a = tensor({1.0, 2.0, 1.0, 4.0});
        const auto [h, bins] = a.histogram(3);
        check<float>(h, {3}, {2, 1, 1});
        check<float>(bins, {4}, {1, 2, 3, 4});
        const double range[] = {0, 8};
        const auto [counts, all] = histogram(a, 4, ArrayRef<double>(range));
        check<float>(counts, {4}, {2, 1, 1, 0});
        check<float>(all, {5}, {0, 2, 4, 6, 8});
        CHECK(equal(all, linspace(0, 8, 5)));
        check<float>(std::get<0>(histogram(a, 4, ArrayRef<double>(range), nullopt, true)), {4},
                     {0.25, 0.125, 0.125, 0});
        check<float>(
            std::get<0>(histogram(a, tensor({0.0, 2.0, 4.0}), tensor({1.0, 2.0, 3.0, 4.0}), true)),
            {2}, {0.2f, 0.3f});
        check<float>(std::get<1>(full({2}, 3.0).histogram(2)), {3}, {2.5, 3, 3.5});
        check<float>(std::get<1>(zeros({0}).histogram(2)), {3}, {0, 0.5, 1});
        CHECK(error_of([] { std::get<0>(tensor({1.0, nan64}).histogram(2)).eval(); }) ==
              "[histogram] the range is not finite; got nan, expected finite elements, or a range; "
              "try nan_to_num() first, or passing a range");
    });
    const Tensor a = zeros({2});
    CHECK_ERROR(NotImplementedError, tensor({1}).histogram(),
                "[histogram] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
    CHECK_ERROR(Error, a.histogram(zeros({1})),
                "[histogram] the edges are not a vector of 2 or more; got shape [1], expected a "
                "vector of rising edges; try a number of bins");
    CHECK_ERROR(Error, a.histogram(zeros({2}, kDouble)),
                "[histogram] the edges have the wrong dtype; got Double, expected Float; try "
                ".to(kFloat) on the edges");
    CHECK_ERROR(Error, a.histogram(zeros({2}), zeros({3})),
                "[histogram] the weights' shape does not match the tensor; got shapes [3] and [2], "
                "expected equal shapes; try expand() on the weights");
    const double one[] = {1}, down[] = {2, 1};
    CHECK_ERROR(Error, a.histogram(2, ArrayRef<double>(one)),
                "[histogram] the range does not have two bounds; got 1 numbers, expected a lower "
                "and an upper bound; try leaving the range out");
    CHECK_ERROR(Error, a.histogram(2, ArrayRef<double>(down)),
                "[histogram] the range is not finite and rising; got 2 to 1, expected finite "
                "bounds, the lower one first; try leaving the range out");
    CHECK_ERROR(Error, a.histogram(0),
                "[histogram] the number of bins is not positive; got 0, expected 1 or more; try "
                "100, the default");
}
