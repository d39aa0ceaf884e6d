// Scans by GPU kernels.
#include "tests/on_gpu/same_on_gpu.hpp"

#include <limits>

using namespace sinter;
using namespace sinter::testing;

namespace {

constexpr ScalarType scanned[] = {kFloat, kDouble, kHalf, kBFloat16, kChar,
                                  kShort, kInt,    kLong, kByte,     kBool};

/// Returns small numbers, rising and falling.
Tensor waves(IntArrayRef sizes, ScalarType dtype) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    const Tensor i = arange(n);
    return ((i * 7919 + i.floor_divide(3) * 104729) % 7 - 3).to(dtype).view(sizes);
}

/// Returns the same values with NaN and both zeros.
Tensor with_nan(const Tensor& x) {
    if (!x.is_floating_point()) return x;
    const Tensor i = arange(x.numel()).view(x.sizes());
    const Tensor signs = where(i % 2 == 0, x, tensor(-0., x.scalar_type()));
    return where(i % 97 == 60, tensor(std::numeric_limits<double>::quiet_NaN(), x.scalar_type()),
                 signs);
}

Tensor bits(const Tensor& x) { return x.view(x.element_size() == 4 ? kInt : kLong); }

}  // namespace

TEST_CASE("gpu scans: sums and products of every dtype along every dimension") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : scanned) {
        CAPTURE(dtype);
        const Tensor x = waves({3, 40, 5}, dtype);
        for (const int64_t dim : {0, 1, 2}) {
            same_on_gpu([&](auto to) { return to(x).cumsum(dim); });
            same_on_gpu([&](auto to) { return to(x).transpose(0, 2).cumprod(dim); });
        }
        same_on_gpu([&](auto to) { return to(x).cumsum(1, dtype); });
        const Tensor y = waves({2, 300}, dtype);
        same_on_gpu([&](auto to) { return to(y).cumsum(1); });
        same_on_gpu([&](auto to) { return (to(y) * 2 + 1).cumprod(1).isfinite(); });
    }
    const Tensor x = waves({5, 30}, kFloat) * 0.1 + 1;  // this rounds; short rows are in order
    same_on_gpu([&](auto to) { return to(x).cumsum(1); });
    same_on_gpu([&](auto to) { return to(x).cumprod(0); });
    same_on_gpu([&](auto to) { return to(zeros({0})).cumsum(0); });
    same_on_gpu([&](auto to) { return to(zeros({3, 0})).cumsum(0); });
    same_on_gpu([&](auto to) { return to(tensor(2.5)).cumsum(0); });
    same_on_gpu([&](auto to) { return to(waves({2, 9000}, kInt)).t().cumsum(1); });
}

TEST_CASE("gpu scans: long rows") {
    if (!has_gpu()) return;
    for (const int64_t n : {257, 1025, 2047, 2048, 2049, 8193, 40000}) {
        CAPTURE(n);
        for (const ScalarType dtype : {kInt, kDouble}) {  // their sums are exact
            CAPTURE(dtype);
            const Tensor x = waves({2, n}, dtype), nan = with_nan(x);
            same_on_gpu([&](auto to) { return to(x).cumsum(1); });
            same_on_gpu([&](auto to) { return bits(std::get<0>(to(nan).cummax(1))); });
            same_on_gpu([&](auto to) { return std::get<1>(to(nan).cummin(1)); });
            same_on_gpu([&](auto to) { return to(x).t().contiguous().cumsum(0); });
        }
        const Tensor x = rand({n}, kFloat), got = Tensor(x.cuda()).cumsum(0).cpu();
        CHECK(allclose(got, x.cumsum(0), 1e-6, 0.));
        CHECK(equal(got, Tensor(x.cuda()).cumsum(0).cpu()));
    }
    const Tensor odd = waves({40000}, kLong) * 2 + 1;
    same_on_gpu([&](auto to) { return to(odd).cumprod(0); });  // overflows and wraps
}

TEST_CASE("gpu scans: long rows have the same bits wherever they lie") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16})
        for (const int64_t n : {300, 5001, 20000}) {
            CAPTURE(dtype);
            CAPTURE(n);
            const Tensor x = rand({3, n}, kFloat).to(dtype).cuda();
            const Tensor later = cat({x.slice(1, 0, 1), x}, 1).slice(1, 1),
                         apart = x.t().contiguous().t();
            const Tensor got = x.cumsum(1), log = x.logcumsumexp(1);
            for (const Tensor& y : {later, apart}) {
                CHECK(equal(y.cumsum(1), got));
                CHECK(equal(y.logcumsumexp(1), log));
            }
            Tensor wide = zeros({3, n + 1}, dtype).cuda();
            wide.slice(1, 1) = x;
            wide.slice(1, 1).cumsum_(1);
            CHECK(equal(wide.slice(1, 1), got));
        }
}

TEST_CASE("gpu scans: rows of more parts than a block folds at once") {
    if (!has_gpu()) return;
    const Tensor x = waves({1100 * 4096 + 1}, kChar);
    same_on_gpu([&](auto to) { return to(x).cumsum(0); });
}

TEST_CASE("gpu scans: extremes of every dtype along every dimension") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : scanned) {
        CAPTURE(dtype);
        const Tensor x = waves({3, 40, 5}, dtype), long_rows = waves({2, 300}, dtype);
        for (const int64_t dim : {0, 1, 2}) {
            same_on_gpu([&](auto to) { return std::get<0>(to(x).cummax(dim)); });
            same_on_gpu([&](auto to) { return std::get<1>(to(x).cummax(dim)); });
            same_on_gpu([&](auto to) { return std::get<0>(to(x).cummin(dim)); });
            same_on_gpu([&](auto to) { return std::get<1>(to(x).cummin(dim)); });
        }
        same_on_gpu([&](auto to) { return std::get<1>(to(with_nan(x)).cummax(1)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(with_nan(x)).cummin(1)); });
        same_on_gpu([&](auto to) { return std::get<1>(to(with_nan(long_rows)).cummin(1)); });
        same_on_gpu([&](auto to) { return std::get<0>(to(long_rows).cummax(1)); });
    }
}

TEST_CASE("gpu scans: one launch writes the values and the indices of short rows") {
    if (!has_gpu()) return;
    const Tensor x = waves({30, 40}, kFloat).to(kCUDA);
    x.eval();
    reset_stats();
    const auto [values, indices] = x.cummin(1);
    eval({values, indices});
    CHECK(stats().kernels_launched == 1);
}

TEST_CASE("gpu scans: logarithms of sums of exponentials") {
    if (!has_gpu()) return;
    for (const ScalarType dtype : {kFloat, kDouble, kHalf, kBFloat16}) {
        CAPTURE(dtype);
        const Tensor x = waves({3, 40, 2}, dtype) * 0.3 - 500, y = waves({2, 5000}, dtype) * 0.3;
        for (const int64_t dim : {0, 1, 2})
            same_on_gpu([&](auto to) { return to(x).logcumsumexp(dim); });
        const Tensor got = Tensor(y.cuda()).logcumsumexp(1).cpu();
        CHECK(allclose(got, y.logcumsumexp(1), dtype == kDouble ? 1e-12 : 1e-2, 0.));
    }
    const double inf = std::numeric_limits<double>::infinity();
    same_on_gpu([&](auto to) { return to(tensor({-inf, 1., 2., inf, 3.})).logcumsumexp(0); });
    const Tensor late = cat({full({70000}, -inf), zeros({1}), full({3000}, -inf)});
    same_on_gpu([&](auto to) { return to(late).logcumsumexp(0); });
}
