// Rows that are sorted in parts, by several threads, or of which only some elements are stored.
#include "kernels/sort/row_keys.hpp"
#include "tests/ops/cases.hpp"
#include "tests/support/element_types.hpp"

#include <sinter/functions/sorting.hpp>
#include <sinter/threads.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

using namespace sinter;
using test::nan64;

namespace {

/// A row of `n` numbers, half of them many times: with NaN, both zeros and both infinities where
/// the dtype has them.
Tensor long_row(int64_t n, ScalarType dtype) {
    if (dtype == kBool) return rand({n}) < 0.5;
    if (!isFloatingType(dtype)) return (randn({n}, kDouble) * 40).abs().to(dtype);
    Tensor t = randn({n}, kDouble) * 100;
    t = where(rand({n}) < 0.5, t.round(), t);
    t.index_put_({rand({n}) < 0.01}, nan64);
    t.index_put_({rand({n}) < 0.01}, -0.0);
    t.index_put_({rand({n}) < 0.001}, INFINITY);
    t.index_put_({rand({n}) < 0.001}, -INFINITY);
    return t.to(dtype);
}

/// The indices in order, by the standard library's stable sort.
Tensor expected_order(const Tensor& row, bool descending) {
    const Tensor x = row.to(kDouble).contiguous().eval();
    const double* p = x.data_ptr<double>();
    const auto less = [p](int64_t a, int64_t b) {
        return std::isnan(p[b]) ? !std::isnan(p[a]) : p[a] < p[b];
    };
    Tensor order = arange(x.numel()).clone().eval();
    int64_t* at = order.data_ptr<int64_t>();
    std::stable_sort(at, at + x.numel(),
                     [&](int64_t a, int64_t b) { return descending ? less(b, a) : less(a, b); });
    return order;
}

void check_orders(const Tensor& row) {
    const int64_t n = row.size(0);
    for (bool down : {false, true}) {
        const Tensor order = expected_order(row, down);
        CHECK(equal(row.argsort(0, down), order));
        for (int64_t few : {1, 100})
            CHECK(equal(std::get<1>(row.topk(few, 0, down)), order.narrow(0, 0, few)));
        if (down) continue;
        for (int64_t k : {int64_t{1}, n / 100, n / 2, n - n / 1000, n})
            CHECK((std::get<1>(row.kthvalue(k)).item<int64_t>() ==
                   order.select(0, k - 1).item<int64_t>()));
        const int64_t unknown = row.isnan().sum().item<int64_t>();
        CHECK((std::get<1>(row.nanmedian(0)).item<int64_t>() ==
               order.select(0, (n - unknown - 1) / 2).item<int64_t>()));
    }
}

}  // namespace

TEST_CASE("long rows have one order, on any number of threads" * doctest::test_suite("host")) {
    const int threads = get_num_threads();
    for (int count : {1, 3}) {
        set_num_threads(count);
        for (ScalarType dtype : testing::all_types) {
            CAPTURE(dtype);
            manual_seed(5);
            const Tensor row = long_row(100000, dtype);
            check_orders(row);
            // Strided, and short of a whole block.
            check_orders(stack({row, row.flip({0})}, 1).select(1, 1).slice(0, 77, 40000));
        }
        // Keys that differ in their lowest bits, in their highest bit, and not at all.
        check_orders(arange(100000).flip({0}) % 7);
        check_orders(where(arange(70000) % 3 == 0, -1.0, 1.0));
        check_orders(full({70000}, 2.5));
        // One group that is nearly the whole row.
        Tensor row = rand({100000}) + 1;
        row.index_put_({int64_t{500}}, -1e30);
        check_orders(row);
        check_orders(randint(0, int64_t{1} << 52, {100000}, kLong));
    }
    set_num_threads(threads);
}

TEST_CASE("the few of a row whose chosen elements mislead" * doctest::test_suite("host")) {
    // The row is first that of its own indices, so that the keys tell which elements are chosen.
    const int64_t n = 20000;
    const Tensor places = arange(n, kFloat).eval(), x = rand({n}).eval();
    std::vector<uint32_t> chosen(4096);
    ordering::row_keys<float, uint32_t>(places.data_ptr<float>(), 1, false).choose(n, chosen);
    for (uint32_t key : chosen)
        x.data_ptr<float>()[static_cast<int64_t>(std::bit_cast<float>(key ^ 0x80000000))] += 10;
    check_orders(x);
    check_orders(-x);
}
