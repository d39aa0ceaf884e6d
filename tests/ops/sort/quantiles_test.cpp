#include "tests/ops/cases.hpp"

#include <sinter/functions/sorting.hpp>

#include <algorithm>

using namespace sinter;
using test::check;
using test::nan32;
using test::nan64;
using test::plain;

namespace {

using numbers = std::vector<double>;

/// Computes a quantile by the definition, on a sorted row.
double quantile_of(const numbers& r, double q, const std::string& how, bool ignore_nan) {
    numbers known;
    for (double x : r)
        if (!std::isnan(x)) known.push_back(x);
    if (known.empty() || (!ignore_nan && known.size() < r.size())) return nan64;
    std::sort(known.begin(), known.end());
    const double rank = q * static_cast<double>(known.size() - 1);
    const double a = known[static_cast<std::size_t>(std::floor(rank))],
                 b = known[static_cast<std::size_t>(std::ceil(rank))];
    if (how == "lower") return a;
    if (how == "higher") return b;
    if (how == "midpoint") return a + 0.5 * (b - a);
    if (how == "linear") return a + (rank - std::floor(rank)) * (b - a);
    const double part = rank - std::floor(rank);
    const bool even = static_cast<int64_t>(std::floor(rank)) % 2 == 0;
    return part < 0.5 || (part == 0.5 && even) ? a : b;
}

}  // namespace

TEST_CASE("quantiles along every dimension, by every interpolation") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kFloat, kDouble})
            for (const char* how : {"linear", "lower", "higher", "midpoint", "nearest"})
                for (bool ignore : {false, true})
                    test::for_each_layout(dtype, false, [&](const Tensor& plain_values) {
                        // Some NaN, but no infinities, because their differences are NaN.
                        const Tensor t = where(plain_values == 2, nan64, plain_values).to(dtype);
                        if (t.numel() == 0) return;
                        test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                            for (double q : {0.0, 0.25, 0.5, 0.75, 1.0}) {
                                const auto f = [&](const numbers& r) {
                                    return quantile_of(r, q, how, ignore);
                                };
                                const plain x(t);
                                const Tensor y = ignore ? t.nanquantile(q, dim, false, how)
                                                        : quantile(t, q, dim, false, how);
                                CHECK((y.scalar_type() == dtype));
                                test::check_near(y, x.reduced(d, false, f), 1e-6);
                            }
                        });
                    });
    });
}

TEST_CASE("shapes of quantiles") {
    test::for_each_mode([] {
        const Tensor t = tensor({{1.0, 3.0, 2.0}, {5.0, 4.0, 6.0}});
        const Tensor q = tensor({0.0, 0.5});
        check<float>(t.quantile(0.5), {}, {3.5});
        check<float>(t.quantile(0.5, nullopt, true), {1, 1}, {3.5});
        check<float>(quantile(t, q), {2}, {1, 3.5});
        check<float>(t.quantile(q, nullopt, true), {2, 1, 1}, {1, 3.5});
        check<float>(t.quantile(q, 1), {2, 2}, {1, 4, 2, 5});
        check<float>(t.quantile(q, 0, true), {2, 1, 3}, {1, 3, 2, 3, 3.5, 4});
        check<float>(t.quantile(q, -1, true), {2, 2, 1}, {1, 4, 2, 5});
        check<float>(nanquantile(t, full({}, 0.5), 0), {3}, {3, 3.5, 4});
        check<float>(t.quantile(zeros({0}), 1), {0, 2}, {});
        check<float>(full({}, 7.0).quantile(0.3), {}, {7});
        check<float>(full({}, 7.0).quantile(tensor({0.3}), 0), {1}, {7});
        check<float>(full({3}, nan64).nanquantile(0.5), {}, {nan32});
        check<double>(tensor({1.0, 2.0}, kDouble).quantile(0.1), {}, {1.1});
        const Tensor many = randn({500}), sorted = std::get<0>(many.sort());
        CHECK(equal(many.quantile(linspace(0, 1, 500), nullopt, false, "nearest"), sorted));
    });
    const Tensor t = zeros({2});
    CHECK_ERROR(Error, zeros({2}, kLong).quantile(0.5),
                "[quantile] the dtype is not supported; got Long, expected Float or Double; try "
                ".to(kFloat) first");
    CHECK_ERROR(Error, zeros({0}).nanquantile(0.5),
                "[nanquantile] the tensor is empty; got shape [0], expected at least 1 element; "
                "try checking numel() first");
    CHECK_ERROR(Error, t.quantile(1.5),
                "[quantile] a quantile is out of range; got 1.5, expected 0 to 1; try dividing "
                "percentages by 100");
    CHECK_ERROR(Error, t.quantile(tensor({0.5, -1.0})),
                "[quantile] a quantile is out of range; got -1, expected 0 to 1; try dividing "
                "percentages by 100");
    CHECK_ERROR(Error, t.quantile(zeros({1}, kDouble)),
                "[quantile] the quantiles have the wrong dtype; got Double, expected Float; try "
                ".to(kFloat) on the quantiles");
    CHECK_ERROR(Error, t.quantile(zeros({1, 1})),
                "[quantile] q has too many dimensions; got shape [1, 1], expected at most 1 "
                "dimension; try flatten() on q");
    CHECK_ERROR(Error, t.quantile(0.5, nullopt, false, "cubic"),
                "[quantile] the interpolation is unknown; got \"cubic\", expected \"linear\", "
                "\"lower\", \"higher\", \"midpoint\" or \"nearest\"; try \"linear\", the default");
    CHECK_ERROR(IndexError, t.quantile(0.5, 1),
                "[quantile] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}
