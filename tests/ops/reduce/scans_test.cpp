#include "tests/ops/cases.hpp"
#include "tests/support/element_types.hpp"

#include <sinter/functions/scans.hpp>
#include <sinter/threads.hpp>

#include <cmath>

using namespace sinter;
using test::check;
using test::inf64;
using test::nan64;
using test::plain;

namespace {

using numbers = std::vector<double>;

numbers sums(const numbers& r) {
    numbers y;
    double s = 0;
    for (double x : r) y.push_back(s += x);
    return y;
}
numbers products(const numbers& r) {
    numbers y;
    double s = 1;
    for (double x : r) y.push_back(s *= x);
    return y;
}
/// Returns the index of the best of the first elements, searching all of them again each time.
numbers places(const numbers& r, bool largest) {
    numbers y;
    for (std::size_t i = 0; i < r.size(); ++i) {
        std::size_t at = 0;
        for (std::size_t k = 0; k <= i; ++k) {
            const bool better = largest ? r[k] >= r[at] : r[k] <= r[at];
            if (std::isnan(r[k]) || (!std::isnan(r[at]) && better)) at = k;
        }
        y.push_back(static_cast<double>(at));
    }
    return y;
}
numbers extremes(const numbers& r, bool largest) {
    numbers y;
    for (double at : places(r, largest)) y.push_back(r[static_cast<std::size_t>(at)]);
    return y;
}
numbers log_sums(const numbers& r) {
    numbers y;
    for (std::size_t i = 0; i < r.size(); ++i) {
        double top = -inf64, sum = 0;
        for (std::size_t k = 0; k <= i; ++k) top = r[k] > top || std::isnan(r[k]) ? r[k] : top;
        for (std::size_t k = 0; k <= i; ++k) sum += std::exp(r[k] - top);
        bool unknown = false;
        for (std::size_t k = 0; k <= i; ++k) unknown = unknown || std::isnan(r[k]);
        y.push_back(unknown ? nan64 : std::isinf(top) ? top : top + std::log(sum));
    }
    return y;
}

}  // namespace

TEST_CASE("running sums and products along every dimension, of every dtype") {
    test::for_each_mode([] {
        for (ScalarType dtype : testing::all_types)
            test::for_each_layout(dtype, false, [&](const Tensor& t) {
                test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                    const plain x(t);
                    const Tensor s = t.cumsum(dim), p = cumprod(t, dim);
                    const ScalarType type = isFloatingType(dtype) ? dtype : kLong;
                    CHECK((s.scalar_type() == type));
                    CHECK((p.scalar_type() == type));
                    CHECK(s.is_contiguous());
                    test::check_near(s, x.mapped(d, sums), test::tolerance_of(dtype));
                    test::check_near(p, x.mapped(d, products), test::tolerance_of(dtype));
                });
            });
    });
}

TEST_CASE("dtypes of running sums") {
    test::for_each_mode([] {
        check<int64_t>(tensor({200, 100}, kByte).cumsum(0), {2}, {200, 300});
        check<uint8_t>(cumsum(tensor({200, 100}, kByte), 0, kByte), {2}, {200, 44});
        check<int64_t>(tensor({true, false, true}).cumsum(0), {3}, {1, 1, 2});
        check<double>(tensor({1, 2, 3}).cumsum(0, kDouble), {3}, {1, 3, 6});
        check<int64_t>(tensor({1.9, 1.9}).cumsum(0, kLong), {2}, {1, 2});
        check<int32_t>(cumprod(tensor({2.5, 2.5}), 0, kInt), {2}, {2, 4});
        check<bool>(tensor({0, 1, 0}).cumsum(0, kBool), {3}, {false, true, true});
        const int64_t big = std::numeric_limits<int64_t>::max();
        check<int64_t>(tensor({big, int64_t{1}}).cumsum(0), {2},
                       {big, std::numeric_limits<int64_t>::min()});
        check<float>(full({}, 3.0).cumsum(0), {}, {3});
        // Accumulated in double: 2^24 + 1 + 1 is even again.
        check<float>(tensor({16777216.0, 1.0, 1.0}).cumsum(0), {3},
                     {16777216.0f, 16777216.0f, 16777218.0f});
        check<float>(tensor({1.0, nan64, 2.0}).cumsum(0), {3}, {1, float(nan64), float(nan64)});
        check<float>(tensor({inf64, -inf64}).cumsum(0), {2}, {float(inf64), float(nan64)});
    });
}

TEST_CASE("running sums and products in place") {
    test::for_each_mode([] {
        Tensor a = tensor({{1, 2}, {3, 4}}, kInt);
        a.t().cumsum_(0);
        check<int32_t>(a, {2, 2}, {1, 3, 3, 7});
        a.select(0, 1).cumprod_(-1);
        check<int32_t>(a, {2, 2}, {1, 3, 3, 21});
        a.cumsum_(0, kInt);
        check<int32_t>(a, {2, 2}, {1, 3, 4, 24});
        Tensor b = tensor({1.0, 2.0});
        const Tensor old = b * 1;
        Tensor& same = b.cumsum_(0);
        CHECK(same.is_same(b));
        check<float>(old, {2}, {1, 2});
        check<float>(b, {2}, {1, 3});
    });
    CHECK_ERROR(Error, zeros({2}).cumsum_(0, kDouble),
                "[cumsum_] the result does not have the tensor's dtype; got dtype Double for a "
                "Float tensor, expected Float; try the out-of-place form");
    CHECK_ERROR(Error, zeros({1}).expand({3}).cumprod_(0),
                "[cumprod_] more than one element of the written-to tensor refers to a single "
                "memory location; got shape [3] with strides [0], expected a memory location for "
                "each element; try clone() first");
    CHECK_ERROR(IndexError, zeros({2}).cumsum_(1),
                "[cumsum_] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
    CHECK_ERROR(IndexError, zeros({2}).cumsum(-2),
                "[cumsum] the dimension is out of range; got dimension -2 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}

TEST_CASE("running extremes and where they are") {
    test::for_each_mode([] {
        for (ScalarType dtype : testing::all_types)
            test::for_each_layout(dtype, true, [&](const Tensor& t) {
                test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                    for (bool largest : {true, false}) {
                        const auto [v, i] = largest ? t.cummax(dim) : cummin(t, dim);
                        CHECK((v.scalar_type() == dtype));
                        CHECK((i.scalar_type() == kLong));
                        const plain x(t);
                        test::check_near(
                            v, x.mapped(d, [&](const numbers& r) { return extremes(r, largest); }),
                            0);
                        test::check_near(
                            i, x.mapped(d, [&](const numbers& r) { return places(r, largest); }),
                            0);
                    }
                });
            });
        const auto [v, i] = cummax(tensor({1.0, 3.0, 3.0, 2.0, nan64, 5.0, nan64}), 0);
        const float n = float(nan64);
        check<float>(v, {7}, {1, 3, 3, 3, n, n, n});
        check<int64_t>(i, {7}, {0, 1, 2, 2, 4, 4, 6});
        check<float>(std::get<0>(tensor({0.0, -0.0}).cummin(0)), {2}, {0.0f, -0.0f});
    });
    CHECK_ERROR(IndexError, zeros({2}).cummax(1),
                "[cummax] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}

TEST_CASE("running sums of exponentials") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
            for (bool special : {false, true})
                test::for_each_layout(dtype, special, [&](const Tensor& t) {
                    test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                        test::check_near(t.logcumsumexp(dim), plain(t).mapped(d, log_sums),
                                         test::tolerance_of(dtype));
                    });
                });
        check<double>(logcumsumexp(tensor({1000.0, 1000.0}, kDouble), 0), {2},
                      {1000, 1000 + std::log(2.0)});
        check<float>(tensor({-inf64, -inf64}).logcumsumexp(0), {2}, {float(-inf64), float(-inf64)});
    });
    CHECK_ERROR(NotImplementedError, tensor({1}).logcumsumexp(0),
                "[logcumsumexp] integers and booleans are not supported; got Long, expected a "
                "floating-point or complex dtype; try .to(kFloat) first");
}

TEST_CASE("scans do not depend on the number of threads" * doctest::test_suite("host")) {
    const int before = get_num_threads();
    for (const Tensor& t : {randn({300, 500}), randn({500, 300}).t(), randn({7, 40000})})
        for (int64_t dim : {0, 1}) {
            set_num_threads(1);
            const Tensor one = t.cumsum(dim), top = std::get<1>(t.cummax(dim));
            eval({one, top});
            set_num_threads(4);
            CHECK(equal(one, t.cumsum(dim)));
            CHECK(equal(top, std::get<1>(t.cummax(dim))));
        }
    set_num_threads(before);
}

// The values are PyTorch's.
TEST_CASE("sums of complex exponentials keep the larger number's imaginary part") {
    using z = sinter::complex<double>;
    constexpr double big = std::numeric_limits<double>::infinity(), none = NAN;
    struct sum {
        z a, b, expected;
    };
    const sum sums[] = {
        {{1, 5}, {2, 7}, {1.9063238361688761, 6.623828630622288}},
        {{2, 7}, {1, 5}, {1.9063238361688761, 6.623828630622288}},
        {{1, 5}, {1, 7}, {1.077520710173931, 6}},
        {{1, 5}, {1, -7}, {1.6525025522368408, 5.283185307179586}},
        {{1000, 100}, {1000, 101}, {1000.5625629401162, 100.5}},
        {{-1000, 100}, {-1000, 101}, {-999.4374370598838, 100.5}},
        {{1e-20, 1}, {-40, 2}, {2.3053956002787695e-18, 1}},
        {{0, 0}, {0, 0}, {0.6931471805599453, 0}},
        {{-big, 2}, {-big, 5}, {-big, 5}},
        {{-big, 2}, {1, 9}, {1, 9}},
        {{1, 9}, {-big, 2}, {1, 9}},
        {{big, 1}, {2, 9}, {big, 1}},
        {{big, 7}, {3, big}, {big, 7}},
        {{big, 0}, {big, 0}, {big, 0}},
        {{big, 4}, {big, 5}, {big, none}},
        {{none, 1}, {1, 1}, {none, none}},
        {{1, 1}, {1, none}, {none, none}},
        {{1, big}, {2, 1}, {none, none}},
    };
    const auto same = [](double x, double y, double eps) {
        return x == y || (x != x && y != y) || std::abs(x - y) <= eps * (1e-3 + std::abs(y));
    };
    test::for_each_mode([&] {
        for (const sum& s : sums) {
            CAPTURE(s.expected);
            const Tensor got =
                logaddexp(full({3}, s.a, kComplexDouble), full({3}, s.b, kComplexDouble));
            const z r = got[2].item<z>();
            CAPTURE(r);
            CHECK(same(r.real(), s.expected.real(), 1e-12));
            CHECK(same(r.imag(), s.expected.imag(), 1e-12));
        }
        const z in[] = {{1, 5}, {2, 7}, {3, 9}, {1, -20}},
                out[] = {{1, 5},
                         {1.9063238361688761, 6.623828630622288},
                         {2.768273545641827, 8.703041793552819},
                         {2.60314669014437, 8.786803599234936}};
        for (ScalarType type : {kComplexFloat, kComplexDouble}) {
            const double eps = type == kComplexFloat ? 1e-6 : 1e-12;
            const Tensor x = from_blob(static_cast<const void*>(in), {4}, kComplexDouble).to(type);
            // Along either dimension: rows are interleaved or consecutive.
            for (int64_t dim : {0, 1}) {
                const Tensor both = stack({x, x}, 1 - dim).logcumsumexp(dim).select(1 - dim, 1);
                for (int64_t i = 0; i < 4; ++i) {
                    CAPTURE(i);
                    const z r = both[i].item<z>();
                    CHECK(same(r.real(), out[i].real(), eps));
                    CHECK(same(r.imag(), out[i].imag(), eps));
                }
            }
        }
        const Tensor ends = logcumsumexp(tensor({z(-big, 3), z(2, 7), z(big, 1), z(3, 0)}), 0);
        check<double>(view_as_real(ends.to(kComplexDouble)), {4, 2},
                      {-big, 0, 2, 7, big, 1, big, 1});
        const Tensor lost = logcumsumexp(tensor({z(1, 5), z(none, 1), z(3, 0)}), 0);
        check<double>(view_as_real(lost.to(kComplexDouble)), {3, 2},
                      {1, 5, none, none, none, none});
    });
}
