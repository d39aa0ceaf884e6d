#include "tests/ops/cases.hpp"

#include <sinter/functions/reductions.hpp>

using namespace sinter;
using test::check;
using test::inf64;
using test::nan64;
using test::plain;

namespace {
const double orders[] = {0, 1, 2, 3, 0.5, 2.5, -1, -2, inf64, -inf64};

double norm_of(const std::vector<double>& r, double p) {
    double sum = 0, high = 0, low = inf64;
    for (double x : r) {
        const double a = std::abs(x);
        if (std::isnan(a)) high = low = a;
        if (!std::isnan(high)) high = std::max(high, a);
        if (!std::isnan(low)) low = std::min(low, a);
        sum += p == 0 ? double(a != 0) : std::pow(a, p);
    }
    if (p == inf64) return high;
    if (p == -inf64) return low;
    return p == 0 ? sum : std::pow(sum, 1 / p);
}
}  // namespace

TEST_CASE("norms of any order along every dimension") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kFloat, kHalf})
            for (double p : orders) {
                CAPTURE(p);
                const bool few = p != 2 || dtype != kFloat;
                test::for_each_layout(
                    dtype, p >= 0 && p != 0.5,
                    [&](const Tensor& t) {
                        test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                            const auto f = [&](const std::vector<double>& r) {
                                return norm_of(r, p);
                            };
                            const bool row_is_empty = t.dim() > 0 && t.size(d) == 0;
                            if (row_is_empty && (p < 0 || std::isinf(p))) return;
                            const Tensor n = norm(t, Scalar(p), dim);
                            CHECK((n.scalar_type() == dtype));
                            test::check_near(n, plain(t).reduced(d, false, f),
                                             test::tolerance_of(dtype));
                        });
                    },
                    few);
            }
        Tensor a = tensor({{3.0, -4.0}, {0.0, 12.0}});
        check<float>(a.norm(), {}, {13});
        check<float>(norm(a, 1), {}, {19});
        check<float>(a.norm(2, {1}), {2}, {5, 12});
        check<float>(a.norm(nullopt, {1}, true), {2, 1}, {5, 12});
        check<float>(a.norm(inf64, {0, 1}), {}, {12});
        check<double>(a.norm(2, kDouble), {}, {13});
        check<double>(norm(a, 2, {1}, false, kDouble), {2}, {5, 12});
        check<float>(norm(a, 2, kFloat), {}, {13});
        // Squares that Half cannot hold are summed in Float.
        check<float>(full({4}, 300.0, kHalf).norm().to(kFloat), {}, {600});
        check<float>(zeros({0}).norm(), {}, {0});
    });
    CHECK_ERROR(NotImplementedError, tensor({1, 2}).norm(),
                "[norm] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
    CHECK_ERROR(Error, zeros({0}).norm(inf64),
                "[norm] the norm of an empty tensor is undefined for this order; got shape [0] and "
                "order inf, expected at least 1 element; try a finite order of 0 or more");
    CHECK_ERROR(IndexError, zeros({2}).norm(2, {1}),
                "[norm] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}

TEST_CASE("distances of tensors") {
    test::for_each_mode([] {
        Tensor a = tensor({1.0, 5.0}), b = tensor({{4.0}, {1.0}});
        check<float>(a.dist(tensor({4.0, 9.0})), {}, {5});
        check<float>(dist(a, b, 1), {}, {3 + 1 + 0 + 4});
        check<float>(dist(a, b, inf64), {}, {4});
        check<float>(dist(a, b, 0), {}, {3});
        check<double>(dist(a, tensor({1.0, 4.0}, kDouble)), {}, {1});
    });
    CHECK_ERROR(NotImplementedError, dist(tensor({1}), tensor({2})),
                "[dist] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
}

TEST_CASE("distances of all pairs of rows") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kFloat, kDouble})
            for (double p : {0.0, 1.0, 2.0, 3.0, 0.5, inf64}) {
                CAPTURE(p);
                const Tensor a = test::some_values({2, 4, 3}, dtype, 1);
                const Tensor b = test::some_values({3, 5}, dtype, 2).t();
                const plain x(a), y(b.contiguous());
                plain expected({2, 4, 5});
                for (std::size_t i = 0; i < 8; ++i)
                    for (std::size_t j = 0; j < 5; ++j) {
                        std::vector<double> d;
                        for (std::size_t k = 0; k < 3; ++k)
                            d.push_back(x.values[i * 3 + k] - y.values[j * 3 + k]);
                        expected.values[i * 5 + j] = norm_of(d, p);
                    }
                test::check_near(cdist(a, b, p), expected, test::tolerance_of(dtype));
            }
        check<float>(cdist(tensor({{0.0, 0.25}}), tensor({{0.0, 9.0}, {nan64, 0.25}}), 0), {1, 2},
                     {1, float(nan64)});
        check<float>(cdist(zeros({2, 0}), zeros({3, 0})), {2, 3}, {0, 0, 0, 0, 0, 0});
        check<float>(cdist(zeros({0, 2}), zeros({3, 2})), {0, 3}, {});
        check<double>(cdist(zeros({1, 1}), ones({1, 1}, kDouble)), {1, 1}, {1});
    });
    CHECK_ERROR(Error, cdist(zeros({2}), zeros({2, 2})),
                "[cdist] an operand has too few dimensions; got shapes [2] and [2, 2], expected at "
                "least 2 dimensions; try unsqueeze(0) on it");
    CHECK_ERROR(Error, cdist(zeros({2, 3}), zeros({2, 2})),
                "[cdist] the rows have different lengths; got shapes [2, 3] and [2, 2], expected 3 "
                "columns in the second; try narrow() on the longer one");
    CHECK_ERROR(Error, cdist(zeros({2, 2}), zeros({2, 2}), -1),
                "[cdist] p is negative or NaN; got -1, expected 0 or more; try 2, the default");
    CHECK_ERROR(NotImplementedError, cdist(zeros({2, 2}), zeros({2, 2}, kLong)),
                "[cdist] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
}

TEST_CASE("slices scaled down to a norm") {
    test::for_each_mode([] {
        Tensor a = tensor({{3.0, 4.0}, {0.3, 0.4}});
        test::check_near(a.renorm(2, 0, 1), plain(tensor({{0.6, 0.8}, {0.3, 0.4}})), 1e-5);
        test::check_near(
            renorm(a, 1, 1, 2),
            plain(tensor({{3 * 2 / 3.3, 4 * 2 / 4.4}, {0.3 * 2 / 3.3, 0.4 * 2 / 4.4}})), 1e-5);
        test::check_near(a.renorm(inf64, -1, 3), plain(tensor({{3.0, 3.0}, {0.3, 0.3}})), 1e-5);
        Tensor cube = test::some_values({2, 3, 4}, kDouble, 3);
        const plain x(cube.permute({1, 0, 2}).reshape({3, 8}));
        const plain scaled = x.mapped(1, [](const std::vector<double>& r) {
            const double n = norm_of(r, 2);
            std::vector<double> y;
            for (double v : r) y.push_back(n > 4 ? v * (4 / (n + 1e-7)) : v);
            return y;
        });
        test::check_near(cube.renorm(2, 1, 4).permute({1, 0, 2}).reshape({3, 8}), scaled, 1e-12);
        Tensor view = a.t();
        view.renorm_(2, 1, 1);
        test::check_near(a, plain(tensor({{0.6, 0.8}, {0.3, 0.4}})), 1e-5);
        CHECK((tensor({{3.0, 4.0}}, kHalf).renorm(2, 0, 1).scalar_type() == kHalf));
        check<float>(zeros({0, 2}).renorm(2, 0, 1), {0, 2}, {});
    });
    CHECK_ERROR(Error, zeros({2}).renorm(2, 0, 1),
                "[renorm] the tensor has too few dimensions; got shape [2], expected at least 2 "
                "dimensions; try unsqueeze(0) first");
    CHECK_ERROR(
        Error, zeros({2, 2}).renorm(0, 0, 1),
        "[renorm] p is not positive; got 0, expected a positive number; try 2, the Euclidean norm");
    CHECK_ERROR(Error, zeros({2, 2}).renorm_(2, 0, -1),
                "[renorm_] maxnorm is negative or NaN; got -1, expected 0 or more; try 1, which "
                "makes long slices unit vectors");
}
