// Concurrent flushes wait only for values that they share.
#include "tests/seed.hpp"
#include "tests/support/fork.hpp"

#include "engine/graph/graph.hpp"
#include "engine/run/record.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <future>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

using namespace sinter;
using namespace std::chrono_literals;

namespace {

/// An operation that the test blocks: it reports that it runs, and waits until the test releases
/// it.
struct held_up {
    std::atomic<int> started{0};
    std::atomic<bool> go{false};
    std::atomic<bool> refuses{false};

    void reset() {
        started = 0;
        go = refuses = false;
    }
    void wait_for(int runs) const {
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (started < runs && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(1ms);
    }
    void run(std::span<const op_input> in, char* out) {
        ++started;
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (!go && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
        if (refuses.exchange(false)) throw std::runtime_error("refused");
        std::memcpy(out, in[0].data + in[0].shape->offset * 4,
                    4 * static_cast<std::size_t>(in[0].shape->numel));
    }
} first, second;

const kernel_op first_op{"first", [](const op_call& call) { first.run(call.inputs, call.output); }};
const kernel_op second_op{"second",
                          [](const op_call& call) { second.run(call.inputs, call.output); }};

/// A pending copy of a contiguous float tensor, by a blocked operation.
Tensor through(const kernel_op& op, const Tensor& x) {
    const leaf in = detail::capture(x);
    return Tensor(make_pending(library_node(&op, {&in, 1}, kFloat, make_contiguous(x.sizes())),
                               make_contiguous(x.sizes())));
}

struct fresh {
    fresh() {
        first.reset();
        second.reset();
    }
};

bool finished(const std::future<void>& f) { return f.wait_for(0s) == std::future_status::ready; }

}  // namespace

TEST_CASE_FIXTURE(fresh, "unrelated values are computed side by side") {
    const Tensor x = ones({4});
    x.eval();
    const Tensor a = through(first_op, x), b = through(second_op, x);
    auto one = std::async(std::launch::async, [&] { a.eval(); });
    auto two = std::async(std::launch::async, [&] { b.eval(); });
    // Each is inside its operation before either is released.
    first.wait_for(1);
    second.wait_for(1);
    CHECK(first.started == 1);
    CHECK(second.started == 1);
    // Meanwhile this thread runs a whole program with the same operand.
    CHECK((x * 3 + 1).self().sum().item<float>() == 16);
    first.go = second.go = true;
    one.get();
    two.get();
    CHECK(a[3].item<float>() == 1);
}

TEST_CASE_FIXTURE(fresh, "a value that is being computed is waited for, not computed twice") {
    const Tensor a = through(first_op, full({4}, 7.0)), b = a + 1, c = a * 2;
    auto one = std::async(std::launch::async, [&] { b.eval(); });
    first.wait_for(1);
    auto two = std::async(std::launch::async, [&] { c.eval(); });
    std::this_thread::sleep_for(20ms);
    CHECK_FALSE(finished(two));
    first.go = true;
    one.get();
    two.get();
    CHECK(first.started == 1);
    CHECK(b[0].item<float>() == 8);
    CHECK(c[0].item<float>() == 14);
}

TEST_CASE_FIXTURE(fresh,
                  "data_ptr waits for a flush that has freed what a reader of the tensor reads") {
    const Tensor a = full({4, 4}, 0.25).eval(), u = ones({4, 4}).eval();
    // Two kernels before `first`: the sum is part of the second, which is the last to read the
    // product. Only the plan holds both.
    const Tensor y = through(first_op, ((u.mm(a) + u).self() * 2).self());
    auto one = std::async(std::launch::async, [&] { y.eval(); });
    first.wait_for(1);
    auto two = std::async(std::launch::async, [&] { static_cast<void>(u.data_ptr()); });
    std::this_thread::sleep_for(20ms);
    CHECK_FALSE(finished(two));
    first.go = true;
    one.get();
    two.get();
    CHECK(y[3][1].item<float>() == 4);
    CHECK(u[2][2].item<float>() == 1);
}

TEST_CASE_FIXTURE(fresh, "a write waits for a running read of the bytes that it changes") {
    for (const bool whole : {false, true}) {
        first.reset();
        Tensor x = arange(1000, kFloat);
        x.eval();
        if (whole) CHECK(x.const_data_ptr<float>()[999] == 999);  // the address is now known
        const Tensor old = through(first_op, x);
        if (whole)
            x.add_(1000);
        else
            x.index_put_({Slice(0, 500)}, -1);
        auto reader = std::async(std::launch::async, [&] { old.eval(); });
        first.wait_for(1);
        auto writer = std::async(std::launch::async, [&] { x.eval(); });
        std::this_thread::sleep_for(20ms);
        CHECK_FALSE(finished(writer));
        first.go = true;
        reader.get();
        writer.get();
        CHECK(old[0].item<float>() == 0);
        CHECK(old[999].item<float>() == 999);
        CHECK(x[0].item<float>() == (whole ? 1000 : -1));
        CHECK(x[999].item<float>() == (whole ? 1999 : 999));
    }
}

TEST_CASE_FIXTURE(fresh, "an exception gives claims back") {
    const Tensor a = through(first_op, full({4}, 5.0)), b = a + 1;
    first.go = first.refuses = true;
    CHECK_THROWS_WITH(b.eval(), "refused");
    auto other = std::async(std::launch::async, [&] { return b[0].item<float>(); });
    CHECK(other.get() == 6);
    CHECK(a[0].item<float>() == 5);
}

TEST_CASE_FIXTURE(fresh, "a fork waits for running flushes, and the child computes") {
    if (!test::can_fork_beside_threads()) return;
    const Tensor a = through(first_op, full({4}, 5.0));
    auto other = std::async(std::launch::async, [&] { a.eval(); });
    first.wait_for(1);
    auto release = std::async(std::launch::async, [] {
        std::this_thread::sleep_for(20ms);
        first.go = true;
    });
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);  // instead of waiting forever
        _exit((a + 1)[0].item<float>() == 6 ? 0 : 1);
    }
    other.get();
    release.get();
    int status = -1;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(status == 0);
}

TEST_CASE("recorded writes and reads, asked for by many threads in any order") {
    const uint64_t seed = test::seed();
    for (int round = 0; round < 30; ++round) {
        std::mt19937_64 random(seed + static_cast<uint64_t>(round));
        auto below = [&random](int n) {
            return static_cast<int>(random() % static_cast<uint64_t>(n));
        };
        constexpr int n = 64;
        std::vector<Tensor> x;
        std::vector<std::vector<float>> model;
        auto add = [&](Tensor t, std::vector<float> values) {
            x.push_back(std::move(t));
            model.push_back(std::move(values));
        };
        for (int i = 0; i < 3; ++i)
            add(full({n}, static_cast<double>(i)), std::vector<float>(n, static_cast<float>(i)));
        if (round % 2) CHECK(x[0].const_data_ptr<float>());  // its address is known from now on
        for (int step = 0; step < 60; ++step) {
            const auto a = static_cast<std::size_t>(below(static_cast<int>(x.size())));
            const auto b = static_cast<std::size_t>(below(static_cast<int>(x.size())));
            const int k = below(n);
            std::vector<float>& m = model[a];
            switch (below(5)) {
                case 0: {
                    std::vector<float> sum = m;
                    for (int i = 0; i < n; ++i)
                        sum[static_cast<std::size_t>(i)] += model[b][static_cast<std::size_t>(i)];
                    add(x[a] + x[b], sum);
                    break;
                }
                case 1:
                    x[a].add_(1);
                    for (float& v : m) v += 1;
                    break;
                case 2:
                    x[a].index_put_({Slice(0, k)}, step);
                    std::fill_n(m.begin(), k, static_cast<float>(step));
                    break;
                case 3: {
                    const Tensor half = x[a] * 0.5;
                    std::vector<float> values = m;
                    for (float& v : values) v *= 0.5f;
                    add(half, values);
                    break;
                }
                default:
                    x[a].slice(0, k, n).mul_(0.5);
                    for (int i = k; i < n; ++i) m[static_cast<std::size_t>(i)] *= 0.5f;
            }
        }
        std::atomic<int> wrong{0};
        std::vector<std::thread> threads;
        for (int id = 0; id < 4; ++id)
            threads.emplace_back([&, id] {
                std::mt19937_64 order(seed * 31 + static_cast<uint64_t>(id));
                for (std::size_t i = 0; i < 2 * x.size(); ++i) {
                    const auto which = static_cast<std::size_t>(order() % x.size());
                    const auto k = static_cast<std::size_t>(order() % n);
                    if (x[which][static_cast<int64_t>(k)].item<float>() != model[which][k]) ++wrong;
                }
            });
        for (std::thread& t : threads) t.join();
        CAPTURE(seed);
        CAPTURE(round);
        CHECK(wrong == 0);
    }
}
