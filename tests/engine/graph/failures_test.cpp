// Known failures of other lazy array systems, each as a small test in both modes.
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"

#include "engine/run/lower.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <numeric>

namespace sinter::test {
namespace {

bool compiles() { return default_executor() == plan::executor::compiled; }
// Pending when main ends; it dies after everything else, and nothing may run then.
Tensor never_read = arange(5, kFloat);
Tensor read_once = ones({3}) * 2;

TEST_CASE("an array and its own transpose in one expression") {
    for_each_mode([] {
        for (int64_t n : {3, 65}) {
            const Tensor x = arange(n * n, kFloat).view({n, n});
            x.copy_(x + x.t());
            std::vector<float> expected;
            for (int64_t i = 0; i < n; ++i)
                for (int64_t j = 0; j < n; ++j)
                    expected.push_back(static_cast<float>(i * n + j + j * n + i));
            check<float>(x, {n, n}, expected);
            CHECK(equal(x, x.t()));
        }
    });
}

TEST_CASE("assignment from a flip of itself") {
    for_each_mode([] {
        const Tensor x = arange(1001, kFloat);
        x.eval();
        x.copy_(x.flip({0}));
        std::vector<float> expected(1001);
        std::iota(expected.rbegin(), expected.rend(), 0.0f);
        check<float>(x, {1001}, expected);
        x.slice(0, 1).copy_(x.slice(0, 0, -1) * 1);  // shifted by one, from an expression
        expected.insert(expected.begin(), expected[0]);
        expected.pop_back();
        check<float>(x, {1001}, expected);
    });
}

TEST_CASE("a write at a known address leaves what an expression has captured") {
    for_each_mode([] {
        const Tensor x = arange(1001, kFloat);
        x.eval();
        const float* const address = x.const_data_ptr<float>();
        const auto whole = x * 2;
        x.copy_(x.flip({0}) + 1);
        x.eval();
        check<float>(Tensor(whole).slice(0, 0, 3), {3}, {0, 2, 4});
        const auto part = x * 2;
        x.slice(0, 1, 3).copy_(x.slice(0, 5, 7) * 3);
        x.eval();
        check<float>(Tensor(part).slice(0, 0, 3), {3}, {2002, 2000, 1998});
        check<float>(x.slice(0, 0, 3), {3}, {1001, 2988, 2985});
        CHECK(x.const_data_ptr<float>() == address);
    });
}

TEST_CASE("memory is not donated while a view sees it") {
    for_each_mode([] {
        Tensor a = arange(1000, kFloat);
        a.eval();
        const Tensor view = a.slice(0, 0, 4);
        Tensor b = a + 100;
        a.reset();
        b.eval();
        check<float>(view, {4}, {0, 1, 2, 3});
        Tensor c = b * 2;
        const Tensor column = b.view({10, 100}).select(1, 1).slice(0, 0, 2);
        b.reset();
        c.eval();
        check<float>(column, {2}, {101, 201});
        CHECK(c[999].item<float>() == 2198);
    });
}

TEST_CASE("an address that is used again is another tensor") {
    for_each_mode([] {
        for (int i = 0; i < 60; ++i) {
            Tensor t = full({500}, i, kFloat);
            t.eval();
            Tensor u = t * 2;
            t = full({500}, -1, kFloat);  // may get the memory of the old value
            t.eval();
            CHECK(u[499].item<float>() == static_cast<float>(2 * i));
            CHECK(t[0].item<float>() == -1);
        }
    });
}

TEST_CASE("a part written after a failed write stays failed") {
    for_each_mode([] {
        const Tensor x = ones({100}, kInt), zero = zeros({100}, kInt);
        eval({x, zero});
        bool thrown = false;
        try {
            x.remainder_(zero);  // lazily it fails when read, and keeps failing
            x.eval();
        } catch (const Error&) {
            thrown = true;
        }
        CHECK(thrown);
        x.slice(0, 1, 50).fill_(9);
        if (get_mode() == Mode::eager)
            CHECK(x[1].item<int>() == 9);
        else
            CHECK_THROWS_AS(x.eval(), Error);
        x.fill_(3);
        CHECK(x.sum().item<int64_t>() == 300);
    });
}

TEST_CASE("writing a part takes no memory of the whole's size") {
    for_each_mode([] {
        const int64_t n = 1 << 22;
        std::vector<float> own(n);
        for (const Tensor& x : {zeros({n}), from_blob(own.data(), {n})}) {
            const Tensor few = arange(10, kFloat), part = x.slice(0, 5, 15);
            eval({x, few});
            const uint64_t before = stats().bytes_allocated;
            part.fill_(2);
            x.eval();
            part.copy_(few);
            x.eval();
            part.mul_(few);
            x.eval();
            x.index_put_({Slice(0, 3)}, few.slice(0, 0, 3));
            x.eval();
            CHECK(stats().bytes_allocated - before < 100000);
            CHECK(x.sum().item<float>() == 285 + 3);
        }
    });
}

TEST_CASE("the same tensor twice in an expression") {
    for_each_mode([] {
        const Tensor x = arange(5, kFloat);
        check<float>(x * x + x, {5}, {0, 2, 6, 12, 20});
        x.add_(x);
        check<float>(x, {5}, {0, 2, 4, 6, 8});
        x.mul_(x - x + 2);
        check<float>(x, {5}, {0, 4, 8, 12, 16});
    });
}

TEST_CASE("zeros of both signs in one expression") {
    for_each_mode([] {
        const Tensor a = ones({3});
        check<float>(1 / (a * 0.0) - 1 / (a * -0.0), {3}, std::vector<float>(3, INFINITY));
        check<float>(1 / (a * -0.0), {3}, std::vector<float>(3, -INFINITY));
    });
}

TEST_CASE("distinct scalars and distinct sizes share one kernel") {
    if (!compiles()) {
        MESSAGE("[SKIP] no compiler");
        return;
    }
    const Tensor a = arange(300, kFloat);
    a.eval();
    (a.slice(0, 0, 7) * 3.25 - 1.5).self().eval();
    reset_stats();
    for (int i = 0; i < 20; ++i) (a * (0.5 + i) - (i * 0.125 - 1)).self().eval();
    for (int64_t n = 2; n < 202; ++n)
        CHECK((a.slice(0, 0, n) * 2.0 - 1.0)[n - 1].item<float>() == 2.0f * (n - 1) - 1);
    CHECK(stats().kernels_compiled + stats().kernels_loaded == 0);
}

/// Runs a loop of 100,000 pending operations and checks its cost.
template <class F>
void long_loop(int64_t element_bytes, const F& loop) {
    reset_stats();
    const int64_t before = stats().bytes_live;
    loop();
    const stats_report s = stats();
    CHECK(s.bytes_peak - before < 400 * element_bytes + (int64_t{32} << 20));
    CHECK(s.kernels_launched <= 100000 / 16);
    CHECK(s.kernels_compiled + s.kernels_loaded <= 16);
}

TEST_CASE("a graph a hundred thousand operations deep") {
    const int64_t n = default_executor() == plan::executor::interpret ? 32 : 1000;
    const Tensor d = full({n}, 0.5, kFloat);
    d.eval();
    SUBCASE("r = r + d") {
        long_loop(4 * n, [&] {
            Tensor r = zeros({n});
            for (int i = 0; i < 100000; ++i) r = r + d;
            CHECK(r[n - 1].item<float>() == 50000);
        });
    }
    SUBCASE("r.add_(d)") {
        long_loop(4 * n, [&] {
            const Tensor r = zeros({n});
            for (int i = 0; i < 100000; ++i) r.add_(d);
            CHECK(r[n - 1].item<float>() == 50000);
        });
    }
    SUBCASE("total += f(i)") {
        long_loop(4 * n, [&] {
            Tensor total = zeros({n});
            for (int i = 0; i < 100000; ++i) total += d * static_cast<double>(i % 4);
            CHECK(total[0].item<float>() == 75000);
        });
    }
    SUBCASE("a part of a tensor") {
        long_loop(4 * n, [&] {
            const Tensor r = zeros({n});
            const Tensor part = r.slice(0, 10, 20);
            for (int i = 0; i < 100000; ++i) part += 0.5;
            CHECK(r[19].item<float>() == 50000);
            CHECK(r[20].item<float>() == 0);
        });
    }
    SUBCASE("dropped unread") {
        reset_stats();
        const int64_t pending = stats().nodes_pending;
        Tensor r = zeros({n});
        for (int i = 0; i < 100000; ++i) r = r + d;
        r.reset();
        CHECK(stats().nodes_pending == pending);
    }
}

TEST_CASE("a loop that refills exposed memory") {
    for_each_mode([] {
        std::vector<double> p(3);
        const Tensor x = from_blob(p.data(), {3}, kDouble);
        std::vector<Tensor> kept;
        Tensor total = zeros({3}, kDouble);
        for (int i = 0; i < 20; ++i) {
            p[0] = i;
            kept.push_back(x * 2);
            total += x;
            x.add_(1);  // complete when the call returns
            CHECK(p[0] == i + 1);
        }
        for (int i = 0; i < 20; ++i)
            CHECK(kept[static_cast<std::size_t>(i)][0].item<double>() == 2 * i);
        CHECK(total[0].item<double>() == 190);
        CHECK(p[2] == 20);
    });
}

Tensor doubled_local() {
    std::vector<float> local{1, 2, 3};
    return from_blob(local.data(), {3}, kFloat) * 2;
}

TEST_CASE("from_blob of a vector that dies") {
    for_each_mode([] {
        const Tensor t = doubled_local();
        const std::vector<float> other(3, -7.0f);  // likely at the address of the old one
        check<float>(t + 1, {3}, {3, 5, 7});
    });
}

TEST_CASE(
    "a division by zero fails where its value is read, again and again, and nothing else does") {
    ModeGuard guard(Mode::lazy);
    const Tensor a = arange(4, kInt), b = arange(4, kInt);
    const Tensor fine = a * 2, bad = a.floor_divide(b), after = bad + 1, other = after.sum();
    const Tensor beside = a + b;
    for (int i = 0; i < 3; ++i) {
        CHECK_THROWS_WITH_AS(
            bad.eval(),
            "[floor_divide] ZeroDivisionError: an integer was divided by zero; got a zero in the "
            "divisor, expected none; try where(b == 0, 1, b) as divisor",
            Error);
        CHECK_THROWS_AS(after.eval(), Error);
        CHECK_THROWS_AS(other.item<int64_t>(), Error);
    }
    check<int>(fine, {4}, {0, 2, 4, 6});
    check<int>(beside, {4}, {0, 2, 4, 6});
    check<int>(a, {4}, {0, 1, 2, 3});
    // A failed value can be overwritten as a whole, and is then valid.
    bad.fill_(3);
    check<int>(bad, {4}, {3, 3, 3, 3});
    CHECK_THROWS_AS(after.eval(), Error);
}

TEST_CASE("a failed in-place operation at its line leaves the tensor as it was") {
    ModeGuard guard(Mode::lazy);
    std::vector<int> p{9, 8, 7, 6};
    const Tensor x = from_blob(p.data(), {4}, kInt);
    const Tensor divisor = tensor({2, 0}, kInt);
    CHECK_THROWS_AS(x.slice(0, 0, 2).floor_divide_(divisor), Error);
    CHECK(p == std::vector<int>{9, 8, 7, 6});
    CHECK_THROWS_AS(x.remainder_(0), Error);
    CHECK(p == std::vector<int>{9, 8, 7, 6});
    x.remainder_(4);
    CHECK(p == std::vector<int>{1, 0, 3, 2});
    ModeGuard eager(Mode::eager);
    const Tensor y = tensor({9, 8, 7}, kInt);
    CHECK_THROWS_AS(y.floor_divide_(0), Error);
    check<int>(y, {3}, {9, 8, 7});
    CHECK(y._version() == 0);
}

TEST_CASE("a failed deferred write leaves older values readable") {
    ModeGuard guard(Mode::lazy);
    const Tensor x = arange(4, kInt), before = x + 0, source = x * 1;
    x.slice(0, 0, 2).remainder_(zeros({2}, kInt));
    const Tensor part = x.slice(0, 2);
    CHECK_THROWS_AS(x.eval(), Error);
    CHECK_THROWS_AS(part.eval(), Error);
    check<int>(before, {4}, {0, 1, 2, 3});
    check<int>(source, {4}, {0, 1, 2, 3});
    x.zero_();
    check<int>(part, {2}, {0, 0});
}

TEST_CASE("running out of memory can be tried again") {
    for_each_mode([] {
        const Tensor a = ones({4});
        const bool lazy = get_mode() == Mode::lazy;
        Tensor big;
        if (lazy) {
            big = a.view({4, 1}).expand({4, int64_t{1} << 44}) + 1;
            for (int i = 0; i < 2; ++i) CHECK_THROWS_AS(big.eval(), OutOfMemoryError);
        } else {
            CHECK_THROWS_AS(big = a.view({4, 1}).expand({4, int64_t{1} << 44}) + 1,
                            OutOfMemoryError);
        }
        const Tensor b = a + 1;
        if (lazy) CHECK_THROWS_AS(eval({b, big}), OutOfMemoryError);
        check<float>(b, {4}, {2, 2, 2, 2});
        check<float>(a, {4}, {1, 1, 1, 1});
    });
}

TEST_CASE("a forked child computes") {
    const Tensor a = arange(200000, kFloat) * 2;
    const Tensor pending = a.sum();
    a.eval();  // the parent now has threads
    const pid_t child = fork();
    if (child == 0) {
        const bool right = a[199999].item<float>() == 399998 && (a + 1)[0].item<float>() == 1 &&
                           pending.item<float>() > 0;
        _exit(right ? 0 : 1);
    }
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
    CHECK(pending.item<float>() > 0);
}

TEST_CASE("tensors in static storage") {
    static Tensor local = never_read + 1;
    CHECK(read_once[2].item<float>() == 2);
    CHECK(local.dim() == 1);
}

TEST_CASE("an expression sees the values of its line") {
    for_each_mode([] {
        const Tensor a = arange(4, kFloat);
        auto e = a + 1;
        a.add_(5);
        e.eval();
        check<float>(e, {4}, {1, 2, 3, 4});
        check<float>(a, {4}, {5, 6, 7, 8});
        auto whole = a * 2;
        a.slice(0, 1, 3).zero_();
        auto late = whole + a;
        a.zero_();
        check<float>(late, {4}, {15, 12, 14, 24});
    });
}

TEST_CASE("an expression keeps the values of its line when an address is handed out behind it") {
    for_each_mode([] {
        const Tensor a = zeros({3}, kDouble);
        a.eval();
        auto e = a + 1;
        auto of_view = a.slice(0, 1) * 2 + 3;
        double* const p = a.data_ptr<double>();
        p[0] = 100;
        p[1] = 50;
        check<double>(e, {3}, {1, 1, 1});
        auto late = a + 1;  // reads external memory, here and now
        p[0] = 7;
        check<double>(late, {3}, {101, 51, 1});
        a.add_(1);  // another version of the same memory
        check<double>(of_view, {2}, {3, 3});
        check<double>(a, {3}, {8, 51, 1});
        // The value is pending when its address is taken, here and in other ways.
        const Tensor b = arange(3, kFloat) * 2;
        auto sum = b + b;
        b.accessor<float, 1>()[1] = -1;
        check<float>(sum, {3}, {0, 4, 8});
        const Tensor c = arange(3, kFloat);
        auto row = c - 1;
        static_cast<float*>(c.storage().data())[2] = 9;
        check<float>(row, {3}, {-1, 0, 1});
        // Nothing is copied if there are no readers.
        const Tensor d = zeros({1 << 16}, kFloat);
        d.eval();
        const uint64_t bytes = stats().bytes_allocated;
        d.data_ptr<float>()[0] = 1;
        std::vector<float> own(1 << 16);
        from_blob(own.data(), {1 << 16}, kFloat).data_ptr<float>()[1] = 2;
        CHECK(stats().bytes_allocated == bytes);
        CHECK(own[1] == 2);
    });
}

TEST_CASE("an expression over rows is written into memory of every order") {
    for_each_mode([] {
        const Tensor x = arange(1, 25, kLong).reshape({2, 3, 4}), y = x * 3;
        x.eval();
        y.eval();
        const std::vector<std::vector<int64_t>> orders = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                          {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
        // The first round finds no kernel, the second has it; other rows come in between.
        for (int round = 0; round < 3; ++round)
            for (const auto& order : orders) {
                CAPTURE(round);
                const auto written = [&] {
                    std::vector<int64_t> sizes(3), back(3);
                    for (std::size_t i = 0; i < 3; ++i) {
                        sizes[i] = x.size(order[i]);
                        back[static_cast<std::size_t>(order[i])] = static_cast<int64_t>(i);
                    }
                    return zeros(sizes, kLong).permute(back);
                };
                const Tensor moved = written(), sum = written(), plus = written();
                plus.eval();
                moved.copy_(x);
                sum.copy_(x + y);
                plus.copy_(x + 10);
                for (const Tensor& t : {moved, sum, plus}) t.eval();
                for (int64_t i = 0; i < 24; ++i) {
                    const int64_t at[] = {i / 12, i / 4 % 3, i % 4};
                    const auto value = [&](const Tensor& t) {
                        return t
                            .const_data_ptr<int64_t>()[at[0] * t.stride(0) + at[1] * t.stride(1) +
                                                       at[2] * t.stride(2)];
                    };
                    CHECK(value(moved) == i + 1);
                    CHECK(value(sum) == 4 * (i + 1));
                    CHECK(value(plus) == i + 11);
                }
            }
    });
}

TEST_CASE("an expression with a name is one tensor") {
    for_each_mode([] {
        auto draw = rand({100}, kDouble) * 2;
        check<double>(draw - draw, {100}, std::vector<double>(100, 0.0));
        auto e = ones({3}) + 1;
        auto copy = e;
        e.add_(1);
        e[0] = 7;
        check<float>(e, {3}, {7, 3, 3});
        check<float>(copy, {3}, {7, 3, 3});
        CHECK(copy.is_same(e));
        e.data_ptr<float>()[1] = 9;
        check<float>(copy + 0, {3}, {7, 9, 3});
        auto h = e * 2;
        h = h + h;
        h += 1;
        check<float>(h, {3}, {29, 37, 13});
    });
}

TEST_CASE("an expression used twice is computed once") {
    ModeGuard guard(Mode::lazy);
    const Tensor a = arange(64, kFloat);
    a.eval();
    auto e = exp(a * 0.01);
    const Tensor x = e + 1, y = e * 2;
    reset_stats();
    eval({x, y});
    CHECK(stats().kernels_launched == 1);
}

TEST_CASE("indices beyond 32 bits") {
    const std::size_t bytes = std::size_t{8} << 30;
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) {
        MESSAGE("[SKIP] no 8 GiB of address space");
        return;
    }
    auto* q = static_cast<unsigned char*>(p);
    const auto n = static_cast<int64_t>(bytes);
    for_each_mode([&] {
        const Tensor x = from_blob(p, {n}, kByte);
        q[n - 1] = 5;
        q[(int64_t{1} << 32) + 3] = 7;
        CHECK(x[n - 1].item<uint8_t>() == 5);
        check<uint8_t>(x.as_strided({2}, {n - 1}) + 1, {2}, {1, 6});
        CHECK(x.slice(0, (int64_t{1} << 32) - 8, (int64_t{1} << 32) + 8).sum().item<int64_t>() ==
              7);
        const Tensor wide = x.view({2, n / 2});
        wide.slice(1, 3, 5).add_(1);  // both rows, 4 GiB apart
        CHECK(static_cast<int>(q[n / 2 + 3]) == 8);
        CHECK(static_cast<int>(q[n / 2 + 4]) == 1);
        q[3] = q[4] = q[n / 2 + 4] = 0;
    });
    munmap(p, bytes);
    if (default_executor() == plan::executor::interpret) {
        MESSAGE("[SKIP] would take minutes by the interpreter");
        return;
    }
    const int64_t many = int64_t{1} << (compiles() || long_run() ? 33 : 31);
    CHECK(ones({1}).expand({many}).sum().item<float>() == static_cast<float>(many));
}

}  // namespace
}  // namespace sinter::test
