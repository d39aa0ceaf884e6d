// Tests of values on a GPU: their lines do not wait for them, and every read of a value that
// depends on a failed one throws its error.
#include "tests/on_gpu/gpu_case.hpp"
#include "tests/runtime/again.hpp"

#include <sinter/cuda.hpp>
#include <sinter/sinter.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace sinter;
using namespace sinter::testing;

namespace {

const char* const outside = "[index_select] index 9 is out of bounds for dimension 0 with size 4";
const char* const zero_divisor = "ZeroDivisionError: an integer was divided by zero";

/// Returns a value whose test fails, computed already.
Tensor wrong_rows() {
    return arange(8, kFloat).view({4, 2}).cuda().index_select(0, tensor({1, 9}).cuda()).eval();
}
Tensor wrong_quotients() {
    return floor_divide(arange(4).cuda(), tensor({1, 2, 0, 1}).cuda()).eval();
}

}  // namespace

TEST_CASE("gpu deferred: whatever is computed from a failed value throws its error, each time") {
    if (!has_gpu()) return;
    const Tensor wrong = wrong_rows(), right = ones({2, 2}).cuda();
    const Tensor sum = wrong + 1, total = (sum * right).sum(), other = right * 2;
    for (int again = 0; again < 2; ++again) {
        CHECK(contains(text_of([&] { wrong.cpu(); }), outside));
        CHECK(contains(text_of([&] { sum.cpu(); }), outside));
        CHECK(contains(text_of([&] { (void)total.item<float>(); }), outside));
        CHECK(contains(text_of([&] { (void)equal(wrong, right); }), outside));
        CHECK(contains(text_of([&] { (void)repr(wrong); }), outside));
        CHECK(contains(text_of([&] { wrong.data_ptr(); }), outside));
        CHECK(contains(text_of([&] { wrong[0].to(kDouble).mm(right.to(kDouble)).cpu(); }), "[mm]"));
        CHECK(contains(text_of([&] { wrong.mm(right).cpu(); }), outside));
        CHECK(contains(text_of([&] { wrong.select(0, 1).clone().cpu(); }), outside));
    }
    CHECK(equal(other.cpu(), full({2, 2}, 2.f)));
    CHECK(contains(text_of([&] { wrong_quotients().cpu(); }), zero_divisor));
    CHECK(contains(text_of([&] { (wrong_quotients() + 1).sum().cpu(); }), zero_divisor));
}

TEST_CASE("gpu deferred: a line that reads values throws the error of what they depend on") {
    if (!has_gpu()) return;
    CHECK(contains(text_of([] { (void)(wrong_rows() > 0).nonzero(); }), outside));
    CHECK(contains(text_of([] { (void)wrong_rows().masked_select(wrong_rows() > 0); }), outside));
    CHECK(contains(text_of([] { (void)linalg::inv(wrong_rows()); }), outside));
    CHECK(contains(text_of([] { (void)linalg::solve(wrong_rows(), ones({2}).cuda()); }), outside));
    CHECK(contains(text_of([] { (void)std::get<0>(unique(wrong_quotients())); }), zero_divisor));
    CHECK(contains(text_of([] { (void)bincount(wrong_quotients()); }), zero_divisor));
    // The CPU computes what the GPU has no kernel for, and what it reads may be anything.
    CHECK(contains(text_of([] { (void)linalg::eigvals(wrong_rows()); }), outside));
    if (cuda::device_count() > 1)
        CHECK(contains(text_of([] { wrong_rows().to(Device("cuda:1")); }), outside));
}

TEST_CASE("gpu deferred: the first error is thrown, though garbage causes others") {
    if (!has_gpu()) return;
    const Tensor table = arange(4).cuda();
    // What a wrong index reads is another index.
    const Tensor rows = table.index_select(0, tensor({2, 9}).cuda()) * 1000;
    CHECK(contains(text_of([&] { table.take(rows).cpu(); }), outside));
    CHECK(contains(text_of([&] { (table.narrow(0, 0, 2) % (rows * 0)).cpu(); }), outside));
    const Tensor q = wrong_quotients();
    CHECK(contains(text_of([&] { table.take(q * 1000).cpu(); }), zero_divisor));
}

TEST_CASE("gpu deferred: a failed write fails the newest value, until it is wholly overwritten") {
    if (!has_gpu()) return;
    Tensor x = arange(6, kFloat).cuda(), y = x.clone();
    const Tensor before = x + 0;
    x.index_add_(0, tensor({1, 6}).cuda(), ones({2}).cuda());
    const Tensor after = x * 2;
    x += 1;
    CHECK(equal(before.cpu(), arange(6, kFloat)));
    CHECK(contains(text_of([&] { after.cpu(); }), "[index_add_] index 6 is out of bounds"));
    x.narrow(0, 0, 2).zero_();
    CHECK(contains(text_of([&] { x.cpu(); }), "[index_add_] index 6 is out of bounds"));
    x.fill_(3);
    CHECK(equal(x.cpu(), full({6}, 3.f)));
    y.floor_divide_(zeros({6}).cuda());  // of floats: no error
    CHECK(isinf(y[1]).item<bool>());
    Tensor z = arange(4).cuda();
    z.floor_divide_(tensor({1, 0, 1, 1}).cuda());
    CHECK(contains(text_of([&] { z.cpu(); }), zero_divisor));
    z.copy_(arange(4).cuda());
    CHECK(equal(z.cpu(), arange(4)));
}

TEST_CASE("gpu deferred: of values that are computed together only those fail that must") {
    if (!has_gpu()) return;
    const Tensor x = arange(4).cuda(), zero = tensor({1, 0, 1, 1}).cuda();
    const Tensor a = x + 1, quotient = floor_divide(a, zero), b = a * 3, c = quotient + b;
    eval({a, quotient, b, c});
    CHECK(equal(b.cpu(), (arange(4) + 1) * 3));
    CHECK(equal(a.cpu(), arange(4) + 1));
    CHECK(contains(text_of([&] { c.cpu(); }), zero_divisor));
    CHECK(contains(text_of([&] { quotient.cpu(); }), zero_divisor));
    // Two tests in one kernel: each value has its own error.
    const Tensor good = x % (x + 1), bad = x % zero;
    eval({good, bad});
    CHECK(equal(good.cpu(), arange(4) % (arange(4) + 1)));
    CHECK(contains(text_of([&] { bad.cpu(); }), "[remainder] ZeroDivisionError"));
}

TEST_CASE("gpu deferred: many tests, of which no line waits for one") {
    if (!has_gpu()) return;
    const Tensor table = arange(50, kFloat).cuda();
    Tensor sum = zeros({3}).cuda();
    const Tensor rows = tensor({4, 0, 49}).cuda();
    cuda::synchronize();
    reset_stats();
    for (int i = 0; i < 200; ++i) sum = (sum + table.index_select(0, rows)).eval();
    CHECK(stats().host_waits == 0);
    CHECK(equal(sum.cpu(), tensor({800.f, 0.f, 9800.f})));
    // A value that depends on more of them than it keeps waits for them, not for each.
    reset_stats();
    for (int i = 0; i < 1000; ++i) sum = (sum + table.index_select(0, rows)).eval();
    CHECK(stats().host_waits < 10);
    const Tensor good = sum + 0;
    sum = (sum + table.index_select(0, rows + 1)).eval();
    for (int i = 0; i < 600; ++i) sum = (sum + table.index_select(0, rows)).eval();
    CHECK(contains(text_of([&] { sum.cpu(); }), "[index_select] index 50 is out of bounds"));
    CHECK(equal(good.cpu(), tensor({4800.f, 0.f, 58800.f})));
}

TEST_CASE("gpu deferred: many tests of one plan, each of which is inherited once") {
    if (!has_gpu()) return;
    const Tensor table = arange(2100, kFloat).cuda(), rows = tensor({4, 0, 9}).cuda();
    Tensor sum = zeros({3}).cuda();
    // Of different parts, as equal gathers would be one.
    for (int i = 0; i < 2000; ++i) sum = sum + table.narrow(0, i, 10).index_select(0, rows);
    CHECK(equal(sum.cpu(), tensor({2007000.f, 1999000.f, 2017000.f})));
}

TEST_CASE("gpu deferred: other streams and threads learn of a failed test") {
    if (!has_gpu()) return;
    const Tensor wrong = wrong_rows();
    const cuda::CUDAStream side = cuda::getStreamFromPool();
    {
        const cuda::CUDAStreamGuard guard(side);
        CHECK(contains(text_of([&] { (wrong * 2).cpu(); }), outside));
    }
    std::vector<std::thread> threads;
    std::atomic<int> told{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            told += text_of([&] { (wrong + t).cpu(); }).find(outside) != std::string::npos;
        });
    for (std::thread& t : threads) t.join();
    CHECK(told == 4);
}

TEST_CASE("gpu deferred: explain says what a pending operation makes the host wait for") {
    if (!has_gpu()) return;
    const Tensor x = arange(10, kFloat).cuda(), i = arange(4).cuda();
    CHECK(contains(explain(histc(x, 5)),
                   "opaque kernel histc, waits for the range of the elements if none is given\n"));
    CHECK(contains(explain(x.masked_scatter(x > 3, x)),
                   "opaque kernel masked_scatter, waits for the number of true elements\n"));
    const Tensor rest = i % (i + 1), quotient = floor_divide(i, i + 2);
    CHECK(contains(explain(rest + quotient), ", waits for the tests of several operations, "));
    CHECK(explain(i % (i + 1)).find("waits") == std::string::npos);
    CHECK(explain(x.index_select(0, i)).find("waits") == std::string::npos);
}

// ---- in a separate process
TEST_CASE("gpu deferred lines: an error names the line that asked" * doctest::skip()) {
    if (!has_gpu()) return;
    const Tensor rows = wrong_rows(), x = arange(4).cuda(), zero = zeros({4}, kLong).cuda();
    const Tensor quotient = floor_divide(x, zero);
    const int line = __LINE__ - 1;
    quotient.eval();
    CHECK(contains(text_of([&] { (rows + 1).cpu(); }), " (from "));
    CHECK(contains(text_of([&] { (rows + 1).cpu(); }), "deferred_test.cpp:"));
    CHECK(contains(text_of([&] { (quotient * 2).cpu(); }),
                   "deferred_test.cpp:" + std::to_string(line) + ")"));
}

TEST_CASE("gpu deferred: with SINTER_LINES an error names the line that asked") {
    if (!has_gpu()) return;
    CHECK(test::run_again("gpu deferred lines: *", "SINTER_LINES", "on") == 0);
}
