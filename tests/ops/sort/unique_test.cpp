#include "tests/ops/cases.hpp"
#include "tests/support/element_types.hpp"

#include <sinter/functions/sorting.hpp>

#include <algorithm>

using namespace sinter;
using test::check;
using test::nan32;
using test::nan64;
using test::plain;

namespace {

bool nan_last(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

struct set {
    std::vector<double> values, inverse, counts;
};

/// Returns the distinct values in order, each found by searching all. NaN equals nothing.
set set_of(const std::vector<double>& x) {
    set s;
    for (double v : x) {
        bool known = false;
        for (double u : s.values) known = known || u == v;
        if (!known) s.values.push_back(v);
    }
    std::stable_sort(s.values.begin(), s.values.end(), nan_last);
    s.counts.assign(s.values.size(), 0);
    std::size_t unknown = 0;  // number of NaN, which are last, in their order
    while (unknown < s.values.size() && !std::isnan(s.values[unknown])) ++unknown;
    for (double v : x) {
        std::size_t k = 0;
        while (k < s.values.size() && s.values[k] != v) ++k;
        if (std::isnan(v)) k = unknown++;
        s.inverse.push_back(static_cast<double>(k));
        ++s.counts[k];
    }
    return s;
}

/// Returns values with a shape.
plain shaped(std::vector<int64_t> sizes, const std::vector<double>& values) {
    plain p(std::move(sizes));
    p.values = values;
    return p;
}

}  // namespace

TEST_CASE("different elements, where they went and how often they came") {
    test::for_each_mode([] {
        for (ScalarType dtype : testing::all_types)
            test::for_each_layout(dtype, true, [&](const Tensor& t) {
                const set s = set_of(plain(t).values);
                const auto n = static_cast<int64_t>(s.values.size());
                const auto [v, i, c] = unique(t, true, true, true);
                CHECK((v.scalar_type() == dtype));
                test::check_near(v, shaped({n}, s.values), 0);
                test::check_near(i, shaped(t.sizes().vec(), s.inverse), 0);
                test::check_near(c, shaped({n}, s.counts), 0);
            });
        const auto [v, i, c] = unique(tensor({3, 1, 3, 2}));
        check<int64_t>(v, {3}, {1, 2, 3});
        check<int64_t>(i, {0}, {});
        check<int64_t>(c, {0}, {});
        check<int64_t>(std::get<2>(_unique2(tensor({3, 1, 3}), false, false, true)), {2}, {1, 2});
        check<float>(std::get<0>(unique(tensor({-0.0, 0.0, nan64, nan64}))), {3},
                     {-0.0f, nan32, nan32});
        const Tensor many = randint(0, 50, {1000});
        check<int64_t>(std::get<2>(unique(many, true, false, true)).sum(), {}, {1000});
        // The operand may change later.
        Tensor a = tensor({2, 1});
        const Tensor kept = std::get<0>(unique(a));
        a.zero_();
        check<int64_t>(kept, {2}, {1, 2});
    });
}

TEST_CASE("different slices") {
    test::for_each_mode([] {
        const Tensor a = tensor({{1, 2, 1}, {0, 5, 0}, {1, 2, 1}, {1, 0, 1}});
        const auto [rows, i, c] = unique_dim(a, 0, true, true, true);
        check<int64_t>(rows, {3, 3}, {0, 5, 0, 1, 0, 1, 1, 2, 1});
        check<int64_t>(i, {4}, {2, 0, 2, 1});
        check<int64_t>(c, {3}, {1, 1, 2});
        const auto [columns, j, d] = unique_dim(a, -1, true, true, false);
        check<int64_t>(columns, {4, 2}, {1, 2, 0, 5, 1, 2, 1, 0});
        check<int64_t>(j, {3}, {0, 1, 0});
        check<int64_t>(d, {0}, {});
        const Tensor cube = tensor({{{1, 2}, {1, 2}}, {{3, 4}, {3, 4}}});
        check<int64_t>(std::get<0>(unique_dim(cube, 1)), {2, 1, 2}, {1, 2, 3, 4});
        check<float>(std::get<0>(unique_dim(tensor({{1.0, nan64}, {1.0, nan64}}), 0)), {2, 2},
                     {1, nan32, 1, nan32});
        check<float>(std::get<0>(unique_dim(zeros({0, 2}), 0)), {0, 2}, {});
        // The groups are the same as those of the rows read as numbers of base 10.
        const Tensor r = randint(0, 3, {60, 2});
        const Tensor code = r.select(1, 0) * 10 + r.select(1, 1);
        CHECK(equal(std::get<1>(unique_dim(r, 0, true, true)),
                    std::get<1>(unique(code, true, true))));
    });
    CHECK_ERROR(Error, unique_dim(zeros({2, 0}), 0),
                "[unique_dim] the slices are empty; got shape [2, 0] and dimension 0, expected a "
                "size of 0 in that dimension only; try another dimension");
    CHECK_ERROR(IndexError, unique_dim(zeros({2}), 1),
                "[unique_dim] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}

TEST_CASE("runs of equal neighbours") {
    test::for_each_mode([] {
        const Tensor a = tensor({1, 1, 2, 2, 3, 1, 1, 2});
        const auto [v, i, c] = unique_consecutive(a, true, true);
        check<int64_t>(v, {5}, {1, 2, 3, 1, 2});
        check<int64_t>(i, {8}, {0, 0, 1, 1, 2, 3, 3, 4});
        check<int64_t>(c, {5}, {2, 2, 1, 2, 1});
        check<int64_t>(std::get<0>(unique_consecutive(a.view({2, 4}).t())), {6},
                       {1, 3, 1, 2, 1, 2});
        const Tensor m = tensor({{1, 2}, {1, 2}, {0, 2}, {1, 2}});
        const auto [rows, j, d] = unique_consecutive(m, true, true, 0);
        check<int64_t>(rows, {3, 2}, {1, 2, 0, 2, 1, 2});
        check<int64_t>(j, {4}, {0, 0, 1, 2});
        check<int64_t>(d, {3}, {2, 1, 1});
        check<float>(std::get<0>(unique_consecutive(tensor({nan64, nan64, 1.0}))), {3},
                     {nan32, nan32, 1});
        check<float>(std::get<0>(unique_consecutive(zeros({0}))), {0}, {});
        check<float>(std::get<0>(unique_consecutive(full({}, 2.0))), {1}, {2});
    });
}

TEST_CASE("a number has no slices") {
    CHECK_ERROR(IndexError, unique_dim(full({}, 2.0), 0),
                "[unique_dim] the tensor has too few dimensions; got a 0-d tensor, expected at "
                "least 1 dimension; try leaving dim out");
    CHECK_ERROR(IndexError, unique_consecutive(full({}, 2.0), false, false, 0),
                "[unique_consecutive] the tensor has too few dimensions; got a 0-d tensor, "
                "expected at least 1 dimension; try leaving dim out");
}

TEST_CASE("membership") {
    test::for_each_mode([] {
        for (ScalarType dtype : testing::all_types) {
            if (dtype == kBool || isComplexType(dtype)) continue;
            test::for_each_layout(dtype, true, [&](const Tensor& t) {
                const Tensor wanted = test::some_values({2, 3}, dtype, 7, true).t();
                const plain x(t), w(wanted);
                plain expected(x.sizes);
                for (std::size_t i = 0; i < x.values.size(); ++i)
                    for (double v : w.values) expected.values[i] += v == x.values[i];
                for (double& e : expected.values) e = e > 0;
                test::check_near(isin(t, wanted), expected, 0);
                for (double& e : expected.values) e = 1 - e;
                test::check_near(isin(t, wanted, false, true), expected, 0);
            });
        }
        check<bool>(isin(tensor({1, 2, 3}), tensor({2.0, 3.5})), {3}, {false, true, false});
        check<bool>(isin(tensor({1.0, nan64}), tensor({nan64, 1.0})), {2}, {true, false});
        check<bool>(isin(tensor({1, 2}), 2), {2}, {false, true});
        check<bool>(isin(tensor({1, 2}), 2, false, true), {2}, {true, false});
        check<bool>(isin(2, tensor({1, 2})), {}, {true});
        check<bool>(isin(tensor({0.0}), tensor({-0.0})), {1}, {true});
        check<bool>(isin(tensor({1}), zeros({0})), {1}, {false});
        check<bool>(isin(zeros({0}), zeros({2})), {0}, {});
    });
}

TEST_CASE("membership in many and in extreme numbers") {
    test::for_each_mode([] {
        manual_seed(test::seed());
        for (const int64_t n : {1, 2, 100, 5000}) {
            const Tensor x = randint(-3000, 3000, {20000}, kLong);
            const Tensor some = randint(-3000, 3000, {n}, kLong);
            const Tensor listed = zeros({6000}, kBool);
            listed.index_put_({some + 3000}, tensor(true));
            CHECK(equal(isin(x, some), listed.index({x + 3000})));
            CHECK(equal(isin(x.slice(0, 0, 20000, 3), some), isin(x, some).slice(0, 0, 20000, 3)));
        }
        const int64_t least = std::numeric_limits<int64_t>::min(),
                      most = std::numeric_limits<int64_t>::max();
        check<bool>(isin(tensor({least, least + 1, int64_t{0}, most}), tensor({least, most})), {4},
                    {true, false, false, true});
        check<bool>(isin(tensor({most, least}), tensor({most - 1})), {2}, {false, false});
    });
}

TEST_CASE("membership is refused where there is no order") {
    CHECK_ERROR(NotImplementedError, isin(zeros({2}, kBool), zeros({2})),
                "[isin] the dtype is not supported; got Bool, expected a real numeric dtype; try "
                ".to(kByte) first");
    CHECK_THROWS_AS(isin(zeros({2}), complex<double>(1, 2)), NotImplementedError);
    CHECK_THROWS_AS(isin(true, zeros({2})), NotImplementedError);
}
