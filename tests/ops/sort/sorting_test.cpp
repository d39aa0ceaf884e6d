#include "tests/ops/cases.hpp"
#include "tests/support/element_types.hpp"

#include <sinter/functions/sorting.hpp>
#include <sinter/threads.hpp>

#include <algorithm>
#include <numeric>

using namespace sinter;
using test::check;
using test::nan32;
using test::nan64;
using test::plain;

namespace {

using numbers = std::vector<double>;

bool less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }

/// Returns the indices of a row in order, by the standard library's stable sort.
std::vector<std::size_t> order_of(const numbers& r, bool descending) {
    std::vector<std::size_t> at(r.size());
    std::iota(at.begin(), at.end(), 0);
    std::stable_sort(at.begin(), at.end(), [&](std::size_t a, std::size_t b) {
        return descending ? less(r[b], r[a]) : less(r[a], r[b]);
    });
    return at;
}
numbers as_numbers(const std::vector<std::size_t>& at) { return {at.begin(), at.end()}; }
numbers taken(const numbers& r, const std::vector<std::size_t>& at) {
    numbers y;
    for (std::size_t i : at) y.push_back(r[i]);
    return y;
}

std::size_t median_at(const numbers& r, bool ignore_nan) {
    std::size_t unknown = 0;
    for (std::size_t i = r.size(); i-- > 0;) unknown += std::isnan(r[i]);
    if (unknown > 0 && (!ignore_nan || unknown == r.size()))
        for (std::size_t i = 0; i < r.size(); ++i)
            if (std::isnan(r[i])) return i;
    return order_of(r, false)[(r.size() - unknown - 1) / 2];
}

std::size_t mode_at(const numbers& r) {
    std::size_t best = 0, most = 0;
    for (std::size_t i = 0; i < r.size(); ++i) {
        std::size_t n = 0, last = i;
        for (std::size_t k = 0; k < r.size(); ++k)
            if (r[k] == r[i] || k == i) {
                ++n;
                last = k;
            }
        if (n > most || (n == most && less(r[i], r[best]))) {
            most = n;
            best = last;
        }
    }
    return best;
}

bool no_row(const Tensor& t, int64_t d) { return t.dim() > 0 && t.size(d) == 0; }

}  // namespace

TEST_CASE("sorting along every dimension, of every dtype") {
    test::for_each_mode([] {
        for (ScalarType dtype : testing::all_types)
            test::for_each_layout(dtype, true, [&](const Tensor& t) {
                test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                    for (bool down : {false, true}) {
                        const plain x(t);
                        const auto values = [&](const numbers& r) {
                            return taken(r, order_of(r, down));
                        };
                        const auto places = [&](const numbers& r) {
                            return as_numbers(order_of(r, down));
                        };
                        const auto [v, i] = t.sort(dim, down);
                        CHECK((v.scalar_type() == dtype));
                        CHECK((i.scalar_type() == kLong));
                        test::check_near(v, x.mapped(d, values), 0);
                        test::check_near(i, x.mapped(d, places), 0);
                        test::check_near(argsort(t, dim, down), x.mapped(d, places), 0);
                    }
                });
            });
        Tensor a = tensor({3.0, nan64, 1.0, -0.0, 0.0, 3.0});
        check<float>(std::get<0>(sort(a)), {6}, {-0.0f, 0, 1, 3, 3, nan32});
        check<int64_t>(std::get<1>(a.sort(0, true)), {6}, {1, 0, 5, 2, 3, 4});
        check<int64_t>(a.argsort(true), {6}, {3, 4, 2, 0, 5, 1});
        check<int64_t>(a.argsort(0), {6}, {3, 4, 2, 0, 5, 1});
        check<int64_t>(argsort(a, true, 0, true), {6}, {1, 0, 5, 2, 3, 4});
        check<int64_t>(std::get<1>(sort(a, optional<bool>(true), 0, true)), {6},
                       {1, 0, 5, 2, 3, 4});
        check<int64_t>(tensor({{3, 1}, {2, 5}}).msort(), {2, 2}, {2, 1, 3, 5});
        check<float>(std::get<0>(full({}, 2.0).sort()), {}, {2});
        check<int64_t>(argsort(full({}, 2.0)), {}, {0});
        check<bool>(msort(tensor({true, false, true})), {3}, {false, true, true});
    });
    CHECK_ERROR(IndexError, zeros({2}).sort(1),
                "[sort] the dimension is out of range; got dimension 1 of a tensor with 1 "
                "dimensions, expected -1 to 0; try -1 for the last dimension");
}

TEST_CASE("long rows are sorted by their digits") {
    test::for_each_mode([] {
        for (ScalarType dtype : testing::all_types) {
            CAPTURE(dtype);
            Tensor t = (randn({2, 700}, kDouble) * 1e4).to(dtype == kBool ? kDouble : dtype);
            t = dtype == kBool ? Tensor(t > 0) : t;
            if (isFloatingType(dtype)) t = where(t > 15000, nan64, t).to(dtype);
            const plain x(t);
            for (bool down : {false, true})
                test::check_near(
                    t.argsort(-1, down),
                    x.mapped(1, [&](const numbers& r) { return as_numbers(order_of(r, down)); }),
                    0);
            const Tensor across = t.t().contiguous();
            CHECK(equal(std::get<1>(across.sort(0)), t.argsort(1).t()));
        }
        // Sorted rows, in both directions.
        const Tensor up = arange(1000, kInt);
        CHECK(equal(std::get<0>(up.sort()), up));
        CHECK(equal(std::get<0>(up.flip({0}).sort()), up));
        CHECK(equal(up.argsort(0, true), arange(999, -1, -1)));
        CHECK(equal(zeros({1000}).argsort(), arange(1000)));
    });
}

TEST_CASE("the largest and smallest few") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kFloat, kLong, kHalf, kBool})
            test::for_each_layout(dtype, true, [&](const Tensor& t) {
                test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                    const int64_t n = t.dim() == 0 ? 1 : t.size(d);
                    for (int64_t k = t.dim() == 0 ? 1 : 0; k <= n; ++k)
                        for (bool largest : {true, false}) {
                            const auto [v, i] = t.topk(k, dim, largest);
                            const auto [all_v, all_i] = t.sort(dim, largest);
                            if (t.dim() == 0) {
                                CHECK(equal(i, all_i));
                                continue;
                            }
                            CHECK(equal(i, all_i.narrow(dim, 0, k)));
                            test::check_near(v, plain(all_v.narrow(dim, 0, k)), 0);
                        }
                });
            });
        const Tensor wide = randn({4, 1000});
        const auto [v, i] = topk(wide, 5);
        CHECK(equal(v, std::get<0>(wide.sort(-1, true)).narrow(1, 0, 5)));
        CHECK(equal(i, wide.argsort(-1, true).narrow(1, 0, 5)));
        check<float>(std::get<0>(tensor({1.0, nan64, 2.0}).topk(2)), {2}, {nan32, 2});
        check<int64_t>(std::get<1>(zeros({9}).topk(3, 0, false, false)), {3}, {0, 1, 2});
    });
    CHECK_ERROR(Error, zeros({3}).topk(4),
                "[topk] k is out of range; got 4 of 3 elements, expected 0 to 3; try sort() for "
                "all of them");
    CHECK_ERROR(Error, zeros({3}).topk(-1),
                "[topk] k is out of range; got -1 of 3 elements, expected 0 to 3; try sort() for "
                "all of them");
}

TEST_CASE("the few of long rows are those of the sorted rows" * doctest::test_suite("host")) {
    test::for_each_mode([] {
        manual_seed(test::seed());
        for (ScalarType dtype : {kFloat, kDouble, kHalf, kInt, kLong, kByte, kChar}) {
            CAPTURE(toString(dtype));
            for (const int64_t n : {299, 300, 1000, 5000, 40000}) {
                // Few different values; values of which most share their highest digits.
                const Tensor few = randint(0, 7, {n}, kFloat).to(dtype);
                const Tensor many = (randn({n}) * 20).to(dtype);
                for (const Tensor& x : {few, many})
                    for (const bool largest : {true, false}) {
                        const Tensor order = x.argsort(0, largest);
                        for (const int64_t k : {int64_t{1}, int64_t{5}, n / 16})
                            CHECK(equal(std::get<1>(x.topk(k, 0, largest)), order.narrow(0, 0, k)));
                        if (largest) continue;
                        for (const int64_t k : {int64_t{1}, n / 3, n / 2, n})
                            CHECK(equal(std::get<1>(x.kthvalue(k)), order[k - 1]));
                    }
            }
        }
        Tensor x = randn({2000});
        x.index_put_({tensor({3, 700, 1999})}, scalar_tensor(NAN));
        CHECK(equal(std::get<1>(x.topk(5)), x.argsort(0, true).narrow(0, 0, 5)));
        CHECK(equal(std::get<1>(x.kthvalue(1998)), tensor(int64_t{3})));
        CHECK(equal(x.nanmedian(), std::get<0>(x.sort())[998]));
    });
}

TEST_CASE("the k-th smallest") {
    test::for_each_mode([] {
        for (ScalarType dtype : {kDouble, kInt, kBFloat16})
            test::for_each_layout(dtype, true, [&](const Tensor& t) {
                test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                    if (no_row(t, d)) return;
                    const int64_t n = t.dim() == 0 ? 1 : t.size(d);
                    const plain x(t);
                    for (int64_t k = 1; k <= n; ++k) {
                        const auto at = [&](const numbers& r) {
                            return static_cast<double>(
                                order_of(r, false)[static_cast<std::size_t>(k - 1)]);
                        };
                        const auto value = [&](const numbers& r) {
                            return r[static_cast<std::size_t>(at(r))];
                        };
                        const auto [v, i] = t.kthvalue(k, dim);
                        test::check_near(v, x.reduced(d, false, value), 0);
                        test::check_near(i, x.reduced(d, false, at), 0);
                        const auto [kept, places] = kthvalue(t, k, dim, true);
                        test::check_near(kept, x.reduced(d, true, value), 0);
                        test::check_near(places, x.reduced(d, true, at), 0);
                    }
                });
            });
        const Tensor wide = randn({1000});
        CHECK(equal(std::get<0>(wide.kthvalue(500)), std::get<0>(wide.sort())[499]));
    });
    CHECK_ERROR(Error, zeros({3}).kthvalue(0),
                "[kthvalue] k is out of range; got 0 of 3 elements, expected 1 to 3; try counting "
                "k from 1");
    CHECK_ERROR(IndexError, zeros({3, 0}).kthvalue(1),
                "[kthvalue] the reduced dimensions are empty; got shape [3, 0], expected at least "
                "1 element in them; try another dimension");
}

TEST_CASE("medians and modes") {
    test::for_each_mode([] {
        for (ScalarType dtype : testing::all_types)
            for (bool special : {false, true})
                test::for_each_layout(dtype, special, [&](const Tensor& t) {
                    test::for_each_dim(t, [&](int64_t d, int64_t dim) {
                        if (no_row(t, d)) return;
                        const plain x(t);
                        const auto checked = [&](const std::tuple<Tensor, Tensor>& got,
                                                 bool keepdim, const auto& at) {
                            const auto& [v, i] = got;
                            CHECK((v.scalar_type() == dtype));
                            test::check_near(i,
                                             x.reduced(d, keepdim,
                                                       [&](const numbers& r) {
                                                           return static_cast<double>(at(r));
                                                       }),
                                             0);
                            test::check_near(
                                v,
                                x.reduced(d, keepdim, [&](const numbers& r) { return r[at(r)]; }),
                                0);
                        };
                        checked(t.median(dim), false,
                                [](const numbers& r) { return median_at(r, false); });
                        checked(nanmedian(t, dim, true), true,
                                [](const numbers& r) { return median_at(r, true); });
                        checked(t.mode(dim), false, mode_at);
                        checked(mode(t, dim, true), true, mode_at);
                    });
                });
        check<float>(tensor({{4.0, 1.0}, {3.0, 2.0}}).median(), {}, {2});
        check<float>(median(tensor({1.0, nan64})), {}, {nan32});
        check<float>(nanmedian(tensor({1.0, nan64})), {}, {1});
        check<float>(zeros({0}).median(), {}, {nan32});
        check<int64_t>(zeros({0}, kLong).nanmedian(), {}, {std::numeric_limits<int64_t>::min()});
        check<int64_t>(median(tensor({{5, 1}, {3, 9}}).t()), {}, {3});
        check<float>(std::get<0>(tensor({1.0, nan64, nan64, nan64}).mode()), {}, {1});
        const Tensor wide = randn({2000});
        CHECK(equal(wide.median(), std::get<0>(wide.sort())[999]));
    });
    CHECK_ERROR(IndexError, zeros({0}).median(0),
                "[median] the reduced dimensions are empty; got shape [0], expected at least 1 "
                "element in them; try another dimension");
    CHECK_ERROR(IndexError, zeros({0}).mode(),
                "[mode] the reduced dimensions are empty; got shape [0], expected at least 1 "
                "element in them; try another dimension");
}

TEST_CASE("orders do not depend on the number of threads, nor on later writes") {
    const int before = get_num_threads();
    const Tensor t = randn({400, 300});
    for (int64_t dim : {0, 1}) {
        set_num_threads(1);
        const Tensor one = t.argsort(dim);
        one.eval();
        set_num_threads(4);
        CHECK(equal(one, t.argsort(dim)));
    }
    set_num_threads(before);
    Tensor a = tensor({3, 1, 2});
    const auto [v, i] = a.sort();
    a.zero_();
    i.zero_();
    check<int64_t>(v, {3}, {1, 2, 3});
}
