// The bounds on pending operations, from just below and just above.
#include "tests/ops/check.hpp"

#include "engine/graph/pending.hpp"
#include "engine/run/lower.hpp"

#include <sinter/stats.hpp>

#include <vector>

namespace sinter::test {
namespace {

/// Bounds for the duration of a test.
class bounds {
public:
    explicit bounds(pending_limits limits) { pending_bounds() = limits; }
    ~bounds() { pending_bounds() = saved_; }
    bounds(const bounds&) = delete;

private:
    pending_limits saved_ = pending_bounds();
};

constexpr int64_t plenty = int64_t{1} << 40;

uint64_t bound_flushes() { return stats().flushed(flush_reason::bounds); }

TEST_CASE("the bound on pending nodes") {
    const int64_t before = stats().nodes_pending;
    const bounds few({before + 10, plenty, plenty});
    const Tensor x = ones({3});
    x.eval();
    const uint64_t flushes = bound_flushes();
    std::vector<Tensor> held;
    for (int i = 0; i < 9; ++i) held.push_back(x + i);
    CHECK(bound_flushes() == flushes);
    CHECK(stats().nodes_pending == before + 9);
    held.push_back(x + 9);  // the tenth
    CHECK(bound_flushes() == flushes + 1);
    CHECK(stats().nodes_pending == before + 9);
    for (int i = 0; i < 10; ++i) CHECK(held[static_cast<std::size_t>(i)][2].item<float>() == 1 + i);
}

TEST_CASE("the bound on bytes that pending nodes read, each value once") {
    const bounds few({plenty, 3 * 4000, plenty});
    auto kilo = [](double v) {
        const Tensor t = full({1000}, v);
        t.eval();
        return t;
    };
    const Tensor a = kilo(1), b = kilo(2), c = kilo(3);
    const uint64_t flushes = bound_flushes();
    Tensor sum = a + b;
    for (int i = 0; i < 50; ++i) sum = sum + a - b;  // the same bytes each time
    CHECK(bound_flushes() == flushes);
    sum = sum * c;  // the third kilobyte of scalars
    CHECK(bound_flushes() == flushes + 1);
    CHECK(sum[7].item<float>() == -141);
    // A computed value releases its operands.
    const Tensor again = a + b;
    CHECK(bound_flushes() == flushes + 1);
    CHECK(again[0].item<float>() == 3);
}

TEST_CASE("an accumulating loop holds a bounded number of its terms") {
    const bounds few({plenty, 64 * 4000, plenty});
    reset_stats();
    Tensor total = zeros({1000});
    for (int i = 0; i < 1000; ++i) {
        const Tensor term = full({1000}, static_cast<double>(i));
        term.eval();
        total += term;
    }
    CHECK(stats().bytes_peak < 70 * 4096 + (int64_t{1} << 20));
    CHECK(stats().flushed(flush_reason::bounds) >= 1000 / 64);
    CHECK(stats().flushed(flush_reason::bounds) <= 1000 / 62);
    CHECK(total[0].item<float>() == 499500);
}

TEST_CASE("the bound on depth") {
    const bounds few({plenty, plenty, 100});
    const Tensor x = ones({3});
    x.eval();
    const uint64_t flushes = bound_flushes();
    Tensor y = x;
    for (int i = 0; i < 99; ++i) y = y + 1;
    CHECK(bound_flushes() == flushes);
    y = y + 1;  // the hundredth pending operation in the chain
    CHECK(bound_flushes() == flushes + 1);
    for (int i = 0; i < 99; ++i) y.add_(1);  // counted from the known value
    CHECK(bound_flushes() == flushes + 1);
    y.add_(1);
    CHECK(bound_flushes() == flushes + 2);
    CHECK(y[0].item<float>() == 201);
}

TEST_CASE("the bound on operations in a kernel") {
    // A kernel of a loop ends between iterations, when it is more than half full.
    for (const int operations : {64, 127, 128, 129, 1000, 10000}) {
        const Tensor x = ones({3});
        x.eval();
        Tensor y = x;
        for (int i = 0; i < operations; ++i) y = y + 1;
        const uint64_t launches = stats().kernels_launched;
        CHECK(y[1].item<float>() == static_cast<float>(operations + 1));
        CAPTURE(operations);
        CHECK(stats().kernels_launched - launches >= static_cast<uint64_t>(operations / 129));
        // What comes before and after the iterations of a long loop is apart.
        CHECK(stats().kernels_launched - launches <= static_cast<uint64_t>(operations / 64 + 2));
    }
}

TEST_CASE("a deferred error is not thrown where a bound is met") {
    const bounds few({plenty, plenty, 3});
    const Tensor one = ones({3}, kInt), none = zeros({3}, kInt);
    const Tensor bad = one % none;
    Tensor innocent = bad + 1;
    CHECK_NOTHROW(innocent = innocent + 1);
    CHECK_NOTHROW(innocent = innocent + 1);
    CHECK_THROWS_WITH_AS(innocent[0].item<int>(), doctest::Contains("ZeroDivisionError"), Error);
    CHECK_THROWS_WITH_AS(bad[0].item<int>(), doctest::Contains("ZeroDivisionError"), Error);
    CHECK((one + 1)[0].item<int>() == 2);
}

}  // namespace
}  // namespace sinter::test
