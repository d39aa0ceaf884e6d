#include "tests/ops/cases.hpp"

#include <sinter/functions/reductions.hpp>

using namespace sinter;
using test::check;
using test::nan32;
using test::plain;

namespace {

double variance(const std::vector<double>& row, double correction) {
    double mean = 0, sum = 0;
    for (double x : row) mean += x;
    mean /= static_cast<double>(row.size());
    for (double x : row) sum += (x - mean) * (x - mean);
    return sum / std::max(0.0, static_cast<double>(row.size()) - correction);
}
}  // namespace

TEST_CASE("var and std with any correction") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kFloat, kDouble})
            test::for_each_layout(
                dtype, false,
                [&](const Tensor& t) {
                    test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                        for (double c : {0.0, 1.0, 2.0, 0.5}) {
                            const auto var = [&](const std::vector<double>& r) {
                                return variance(r, c);
                            };
                            const auto deviation = [&](const std::vector<double>& r) {
                                return std::sqrt(variance(r, c));
                            };
                            const plain x(t);
                            const double near = test::tolerance_of(dtype);
                            test::check_near(t.var({dim}, Scalar(c), true), x.reduced(d, true, var),
                                             near);
                            const auto [s, m] = std_mean(t, IntArrayRef(dim), Scalar(c));
                            test::check_near(s, x.reduced(d, false, deviation), near);
                            test::check_near(m, plain(t.mean(dim)), 0);
                        }
                    });
                },
                dtype != kFloat);
        Tensor a = tensor({{1.0, 3.0}, {2.0, 6.0}});
        check<float>(a.var(nullopt, Scalar(0)), {}, {3.5});
        check<float>(a.var(nullopt, nullopt), {}, {14.0f / 3});
        check<float>(a.std({0, 1}, Scalar(0), true), {1, 1}, {std::sqrt(3.5f)});
        check<float>(sinter::var(a, {1}, Scalar(0)), {2}, {1, 4});
        check<float>(sinter::std(a, 1), {2}, {std::sqrt(2.0f), std::sqrt(8.0f)});
        check<float>(sinter::var(a, 1), {2}, {2, 8});
        check<float>(a.var(0, false), {2}, {0.25, 2.25});
        const auto [v, m] = var_mean(a);
        check<float>(v, {}, {14.0f / 3});
        check<float>(m, {}, {3});
        check<float>(std::get<0>(var_mean(a, 1)), {2}, {2, 8});
        check<float>(std::get<0>(var_mean(a, false)), {}, {3.5});
        check<float>(std::get<0>(var_mean(a, {1}, false, true)), {2, 1}, {1, 4});
        check<float>(std::get<1>(std_mean(a, {1}, false, true)), {2, 1}, {2, 4});
        check<float>(std::get<0>(std_mean(a, 0)), {2}, {std::sqrt(0.5f), std::sqrt(4.5f)});
        check<float>(std::get<0>(std_mean(a, false)), {}, {std::sqrt(3.5f)});
    });
    CHECK_ERROR(NotImplementedError, var_mean(tensor({1, 2})),
                "[var] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
}

TEST_CASE("smallest and largest at once") {
    test::for_each_mode([] {
        Tensor a = tensor({{1, 5, 3}, {-2, -7, 0}});
        const auto [low, high] = a.aminmax();
        check<int64_t>(low, {}, {-7});
        check<int64_t>(high, {}, {5});
        const auto [lows, highs] = aminmax(a, 1, true);
        check<int64_t>(lows, {2, 1}, {1, -7});
        check<int64_t>(highs, {2, 1}, {5, 0});
        check<bool>(std::get<0>(tensor({true, false}).aminmax(0)), {}, {false});
        check<float>(std::get<1>(full({}, 3.0).aminmax(-1)), {}, {3});
        check<float>(std::get<1>(tensor({1.0, double(nan32)}).aminmax()), {}, {nan32});
        check<float>(std::get<0>(zeros({0, 2}).aminmax(1)), {0}, {});
    });
    CHECK_ERROR(Error, zeros({2, 0}).aminmax(),
                "[aminmax] the tensor is empty; got shape [2, 0], expected at least 1 element; try "
                "checking numel() first");
    CHECK_ERROR(IndexError, zeros({2, 0}).aminmax(1),
                "[aminmax] the reduced dimensions are empty; got shape [2, 0], expected at least 1 "
                "element in them; try another dimension");
    CHECK_ERROR(IndexError, zeros({2}).aminmax(1),
                "[aminmax] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}

TEST_CASE("sums and means without NaN") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kFloat, kDouble, kHalf})
            test::for_each_layout(
                dtype, true,
                [&](const Tensor& t) {
                    test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                        const auto sum = [](const std::vector<double>& r) {
                            double s = 0;
                            for (double x : r) s += std::isnan(x) ? 0 : x;
                            return s;
                        };
                        const auto mean = [&](const std::vector<double>& r) {
                            double n = 0;
                            for (double x : r) n += !std::isnan(x);
                            return sum(r) / n;
                        };
                        const plain x(t);
                        const double near = test::tolerance_of(dtype);
                        test::check_near(t.nansum(dim, true), x.reduced(d, true, sum), near);
                        test::check_near(nanmean(t, dim), x.reduced(d, false, mean), near);
                        CHECK((t.nanmean(dim).scalar_type() == dtype));
                    });
                },
                dtype != kFloat);
        Tensor a = tensor({{1.0, double(nan32)}, {2.0, 5.0}});
        check<float>(a.nansum(), {}, {8});
        check<double>(nansum(a, kDouble), {}, {8});
        check<float>(nansum(a, {1}), {2}, {1, 7});
        check<int64_t>(tensor({true, true}).nansum(), {}, {2});
        check<int64_t>(tensor({1, 2}, kInt).nansum(0, true), {1}, {3});
        check<float>(a.nanmean(), {}, {8.0f / 3});
        check<double>(nanmean(a, kDouble), {}, {8.0 / 3});
        check<float>(full({2}, nan32).nanmean(), {}, {nan32});
    });
    CHECK_ERROR(NotImplementedError, tensor({1}).nanmean(),
                "[nanmean] integers and booleans are not supported; got Long, expected a "
                "floating-point dtype; try .to(kFloat) first");
}

TEST_CASE("counts of what is not zero") {
    test::for_each_mode([] {
        Tensor a = tensor({{0.0, 0.5, double(nan32)}, {-0.0, 0.0, 1.0}});
        check<int64_t>(a.count_nonzero(), {}, {3});
        check<int64_t>(a.count_nonzero(0), {3}, {0, 1, 2});
        check<int64_t>(count_nonzero(a, -1), {2}, {2, 1});
        check<int64_t>(count_nonzero(a, {0, 1}), {}, {3});
        check<int64_t>(count_nonzero(a, IntArrayRef()), {}, {3});
        check<int64_t>(count_nonzero(a), {}, {3});
        check<int64_t>(tensor({true, false, true}).count_nonzero(), {}, {2});
        check<int64_t>(zeros({0}).count_nonzero(), {}, {0});
    });
    CHECK_ERROR(IndexError, zeros({2}).count_nonzero(3),
                "[count_nonzero] the dimension is out of range; got dimension 3 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}

TEST_CASE("any and all over several dimensions, and of bytes") {
    test::for_each_mode([] {
        Tensor a = tensor({{{0, 1}, {0, 0}}, {{2, 3}, {4, 5}}});
        check<bool>(a.any({0, 2}), {2}, {true, true});
        check<bool>(a.all({0, 2}), {2}, {false, false});
        check<bool>(all(a, {1, 2}, true), {2, 1, 1}, {false, true});
        check<bool>(any(a, {1, 2}), {2}, {true, true});
        check<bool>(any(tensor({0.0, 2.0}), IntArrayRef()), {2}, {false, true});
        Tensor b = tensor({{0, 200}, {1, 2}}, kByte);
        check<uint8_t>(b.any(), {}, {1});
        check<uint8_t>(b.all(), {}, {0});
        check<uint8_t>(b.all(1), {2}, {0, 1});
        check<uint8_t>(b.any({0, 1}, true), {1, 1}, {1});
        check<uint8_t>(all(b, IntArrayRef()), {2, 2}, {0, 1, 1, 1});
        for (ScalarType dtype : {kChar, kShort, kInt, kLong, kHalf, kBFloat16, kDouble, kBool}) {
            CAPTURE(dtype);
            Tensor c = tensor({0, 1, 1}).to(dtype);
            check<bool>(c.any(), {}, {true});
            check<bool>(c.all(0), {}, {false});
        }
    });
}

TEST_CASE("max and min of two tensors") {
    test::for_each_mode([] {
        Tensor a = tensor({1.0, 5.0, double(nan32)}), b = tensor({{2.0}, {3.0}});
        check<float>(max(a, b), {2, 3}, {2, 5, nan32, 3, 5, nan32});
        check<float>(a.min(b), {2, 3}, {1, 2, nan32, 1, 3, nan32});
        check<int64_t>(tensor({1, 2}).max(tensor(3, kInt)), {2}, {3, 3});
        check<float>(min(a, a + 1), {3}, {1, 5, nan32});
    });
}

TEST_CASE("products with a dtype as function and method") {
    test::for_each_mode(
        [] { check<double>(prod(tensor({{2, 3}, {4, 5}}), 1, false, kDouble), {2}, {6, 20}); });
}
