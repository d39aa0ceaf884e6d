// Kernels that are not compiled yet run block by block while they are compiled in the background.
#include "jit/cache/kernel_cache.hpp"
#include "tests/support/again.hpp"
#include "tests/background/held.hpp"
#include "tests/jit/cache/temporary_folder.hpp"
#include "tests/support/compiler.hpp"
#include "tests/support/fork.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <sys/resource.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <thread>

using namespace sinter;

namespace {

bool same_bits(const Tensor& a, const Tensor& b) {
    return a.numel() == b.numel() &&
           std::memcmp(a.const_data_ptr<float>(), b.const_data_ptr<float>(),
                       static_cast<std::size_t>(a.numel()) * sizeof(float)) == 0;
}

Tensor numbers(int64_t n) { return arange(n, kFloat) * 0.001 - 3; }

/// Computes the values operation by operation.
template <class F>
Tensor eagerly(F f) {
    const ModeGuard eager(Mode::eager);
    return f();
}

bool compiler_is_loaded() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find("LLVM") != std::string::npos) return true;
    return false;
}

/// Returns the number in a variable that the parent sets, or 0 if it is not set.
int number_in(const char* variable) {
    const char* text = std::getenv(variable);
    return text ? std::atoi(text) : 0;
}

/// Starts this program again to run one test case that is skipped otherwise.
int run_again(const char* test_case, const std::string& folder) {
    return test::status_of_child([&] {
        setenv("SINTER_CACHE_DIR", folder.c_str(), 1);
        return test::become_cases(test_case);
    });
}

}  // namespace

TEST_CASE("background: moves keep every bit of 16-bit NaNs before their kernels are there") {
    if (!test::has_compiler()) return;
    std::vector<uint16_t> all(65536);
    std::iota(all.begin(), all.end(), uint16_t{0});
    const test::held_compiler held;
    for (const ScalarType type : {kHalf, kBFloat16}) {
        CAPTURE(toString(type));
        const Tensor a = from_blob(all.data(), {65536}, type).clone().eval();
        const auto kept = [&](const Tensor& moved) {
            const Tensor c = moved.contiguous();
            return std::memcmp(c.const_data_ptr(), all.data(), c.nbytes()) == 0;
        };
        CHECK(kept(a.flip(0).flip(0)));
        CHECK(kept(a.roll(5).roll(-5)));
        CHECK(kept(a.view({2, -1}).t().contiguous().t()));
    }
}

TEST_CASE("background: what follows a product runs by blocks behind each piece of it") {
    if (!test::has_compiler()) return;
    const Tensor a = numbers(300 * 400).view({300, 400}).eval(), c = numbers(700).eval();
    const Tensor b = numbers(400 * 700).view({400, 700}).eval();
    for (const bool reduce : {false, true}) {
        const auto f = [&] {
            const Tensor r = relu(matmul(reduce ? Tensor(cos(a)) : Tensor(sin(a)), b) + c);
            return reduce ? r.sum({1}) : r;
        };
        const Tensor expected = eagerly(f).eval();
        synchronize();
        reset_stats();
        {
            const test::held_compiler held;
            CHECK(same_bits(f().eval(), expected));
            CHECK(stats().kernels_launched == 2);
            CHECK(stats().run_by_blocks == 2);
            CHECK(stats().epilogues == 1);
        }
        synchronize();
        CHECK(same_bits(f().eval(), expected));
        CHECK(stats().run_by_blocks == 2);
        CHECK(stats().epilogues == 2);
    }
}

TEST_CASE("background: a kernel runs by blocks until it is compiled, with the same bits") {
    if (!test::has_compiler()) return;
    const Tensor a = numbers(100000).eval(), b = (a * a).eval();
    const auto f = [&] { return Tensor(softplus(a * 1.25 + b).sub(b / 7)); };
    const Tensor expected = eagerly(f).eval();
    synchronize();
    reset_stats();
    {
        const test::held_compiler held;
        for (int times = 0; times < 2; ++times) CHECK(same_bits(f().eval(), expected));
        CHECK(stats().kernels_launched == 2);
        CHECK(stats().run_by_blocks == 2);
        CHECK(stats().kernels_compiled == 0);
    }
    synchronize();
    CHECK(stats().kernels_compiled == 1);
    for (int times = 0; times < 2; ++times) CHECK(same_bits(f().eval(), expected));
    CHECK(stats().run_by_blocks == 2);
    CHECK(stats().cache_hits == 2);
    CHECK(stats().interpreted == 0);
}

TEST_CASE("background: reductions and row chains") {
    if (!test::has_compiler()) return;
    const Tensor a = numbers(60000).reshape({200, 300}).eval();
    const auto all = [&] {
        return std::vector<Tensor>{softmax(a * 2, 1),     softmax(a.t() * 3, 0),
                                   (a * a).sum(),         (a + 1).mean(0),
                                   var(a * 0.5, 1),       std::get<0>((a - 1).max(1)),
                                   sum(a.t().exp(), {1}), (a - a.mean(1, true)).abs().sum(1)};
    };
    const std::vector<Tensor> expected = [&] {
        const ModeGuard eager(Mode::eager);
        return all();
    }();
    auto held = std::make_optional<test::held_compiler>();
    for (int threads : {1, 2, 3}) {
        const int before = get_num_threads();
        set_num_threads(threads);
        reset_stats();
        const std::vector<Tensor> got = all();
        for (std::size_t i = 0; i < got.size(); ++i) {
            CAPTURE(i);
            CHECK(same_bits(got[i], expected[i]));
        }
        CHECK(stats().run_by_blocks == stats().kernels_launched);
        CHECK(stats().kernels_compiled == 0);
        set_num_threads(before);
    }
    held.reset();
    synchronize();
    const std::vector<Tensor> compiled = all();
    for (std::size_t i = 0; i < compiled.size(); ++i) CHECK(same_bits(compiled[i], expected[i]));
}

TEST_CASE("background: many short rows") {
    if (!test::has_compiler()) return;
    const Tensor a = numbers(24000).eval();
    const test::held_compiler held;
    for (int64_t n : {2, 4, 12, 60}) {
        CAPTURE(n);
        const auto f = [&] {
            const Tensor x = a.reshape({2, 12000 / n, n});
            return Tensor(softmax(x * x, 2) + (x - x.mean(2, true)));
        };
        const Tensor expected = eagerly(f);
        reset_stats();
        CHECK(same_bits(f(), expected));
        CHECK(stats().run_by_blocks == stats().kernels_launched);
    }
}

TEST_CASE("background: two threads want one kernel, which is compiled once") {
    if (!test::has_compiler()) return;
    const Tensor a = numbers(5000).eval();
    const auto f = [&] { return Tensor((a + 0.25).sinh() * a); };
    const Tensor expected = eagerly(f).eval();
    synchronize();
    reset_stats();
    {
        const test::held_compiler held;
        std::vector<std::thread> threads;
        std::atomic<int> right{0};
        for (int t = 0; t < 2; ++t)
            threads.emplace_back([&] {
                for (int times = 0; times < 20; ++times) right += same_bits(f().eval(), expected);
            });
        for (std::thread& t : threads) t.join();
        CHECK(right == 40);
        CHECK(stats().run_by_blocks == 40);
    }
    synchronize();
    CHECK(stats().kernels_compiled == 1);
}

TEST_CASE("background: while it compiles, threads go on and see the same bits") {
    if (!test::has_compiler()) return;
    const Tensor a = numbers(20000).eval();
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&, t] {
            for (int i = 1; i < 12; ++i) {
                // Both threads run every other program.
                const auto f = [&] {
                    Tensor x = a * (0.5 + i);
                    for (int k = 0; k < i; ++k)
                        x = (i + t) % 2 ? Tensor(x.sin() + a) : Tensor(x * a - 1);
                    return x;
                };
                wrong += !same_bits(f().eval(), eagerly(f).eval());
            }
        });
    for (std::thread& t : threads) t.join();
    CHECK(wrong == 0);
    synchronize();
}

TEST_CASE(
    "background: an integer division by zero throws, and what it does not reach has a value") {
    const Tensor a = arange(5000, kInt), zero = zeros({5000}, kInt);
    const test::held_compiler held;
    const Tensor q = floor_divide(a + 1, zero), s = a + 7;
    CHECK_THROWS_AS(q.eval(), Error);
    CHECK(s.sum().item<int64_t>() == 5000 * 4999 / 2 + 35000);
}

TEST_CASE("background: what cannot be compiled is tried once") {
    if (!test::has_compiler()) return;
    const std::vector<uint8_t> nonsense{9, 9, 9};
    const std::span<const uint8_t> one[] = {nonsense};
    CHECK(code_cache::get_or_compile_later(one)[0].k == nullptr);
    synchronize();
    {
        const test::held_compiler held;
        CHECK(code_cache::get_or_compile_later(one)[0].k == nullptr);
    }
    synchronize();
    CHECK_FALSE(runtime::background_busy());
    // A caller that waits for the compilation gets its error.
    CHECK_THROWS_AS(code_cache::get(nonsense), InternalError);
}

TEST_CASE("child: end while kernels are compiled" * doctest::skip()) {
    const Tensor a = numbers(1000);
    const auto compute = [&](double c) { return ((a * c + 1).exp() / a).sum().item<float>(); };
    float x = compute(1);
    if (const char* kernels = std::getenv("SINTER_TEST_KERNELS"))
        for (int i = 1; i < std::atoi(kernels); ++i) {
            Tensor y = a;
            for (int k = 0; k < i; ++k) y = y * 2 + a;
            x += y.mean().item<float>();
        }
    if (x != x) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(number_in("SINTER_TEST_MS")));
    if (std::getenv("SINTER_TEST_THREAD"))
        std::thread([&] {
            (a * 5 - 2).eval();
            std::exit(0);
        }).join();
}

TEST_CASE("background: a program may end while its kernels are compiled") {
    if (!test::has_compiler()) return;
    for (const std::string thread : {"", "another"})
        for (const std::string kernels : {"1", "12"})
            for (const std::string ms : {"0", "1", "3", "6", "10", "15", "20", "40"}) {
                CAPTURE(thread);
                CAPTURE(kernels);
                CAPTURE(ms);
                const sinter::testing::temporary_folder folder;
                setenv("SINTER_TEST_MS", ms.c_str(), 1);
                setenv("SINTER_TEST_KERNELS", kernels.c_str(), 1);
                unsetenv("SINTER_TEST_THREAD");
                if (!thread.empty()) setenv("SINTER_TEST_THREAD", "1", 1);
                CHECK(run_again("child: end while kernels are compiled", folder.path()) == 0);
            }
}

TEST_CASE("child: end while another thread's kernels are compiled" * doctest::skip()) {
    std::promise<void> computed;
    std::thread([&] {
        (numbers(1000) * 5 - 2).exp().sum().item<float>();
        computed.set_value();
        for (;;) pause();
    }).detach();
    computed.get_future().wait();
    std::this_thread::sleep_for(std::chrono::microseconds(number_in("SINTER_TEST_MS")));
}

TEST_CASE("background: a thread that never had a job may end the program") {
    if (!test::has_compiler()) return;
    for (int us = 0; us < 8000; us += 200) {
        CAPTURE(us);
        const sinter::testing::temporary_folder folder;
        setenv("SINTER_TEST_MS", std::to_string(us).c_str(), 1);
        CHECK(run_again("child: end while another thread's kernels are compiled", folder.path()) ==
              0);
    }
}

TEST_CASE("child: the thread's priority" * doctest::skip()) {
    try {
        numbers(10).eval();
    } catch (const ValueError&) {
        _exit(3);
    }
    const int own = getpriority(PRIO_PROCESS, 0);
    int theirs = -1;
    runtime::run_in_background([] {});  // the first job runs at the program's priority
    // On a busy machine a second thread, of the program's priority, takes some of the jobs.
    for (int n = 0; n < 100 && theirs <= own; n++) {
        runtime::run_in_background(
            [&] { theirs = std::max(theirs, getpriority(PRIO_PROCESS, 0)); });
        runtime::wait_for_background();
    }
    _exit(theirs > own ? 1 : theirs == own ? 2 : 4);
}

TEST_CASE("background: the thread is of low priority unless told otherwise") {
    if (!test::has_compiler()) return;
    constexpr int lowest = 19;
    if (getpriority(PRIO_PROCESS, 0) == lowest) {
        MESSAGE("[SKIP] the program itself runs at the lowest priority");
        return;
    }
    const sinter::testing::temporary_folder folder;
    const auto with = [&](const char* priority) {
        setenv("SINTER_JIT_PRIORITY", priority, 1);
        const int status = run_again("child: the thread's priority", folder.path());
        setenv("SINTER_JIT_PRIORITY", "normal", 1);
        return status;
    };
    CHECK(with("") == 1);
    CHECK(with("low") == 1);
    CHECK(with("normal") == 2);
    CHECK(with("high") == 3);
}

TEST_CASE("background: a kernel that two threads compile is published once") {
    if (!test::has_compiler()) return;
    synchronize();
    runtime::set_background_low(true);
    runtime::set_background_patience(
        std::chrono::nanoseconds(0));  // each unfinished job is repeated
    reset_stats();
    uint64_t kernels = 0;
    const Tensor a = numbers(3000).eval();
    for (int i = 1; i < 6; ++i) {
        const auto f = [&] {
            Tensor x = a;
            for (int k = 0; k < i; ++k) x = (x * 0.5).abs() + a;
            return x;
        };
        const Tensor expected = eagerly(f).eval();
        while (true) {
            const uint64_t before = stats().run_by_blocks;
            CHECK(same_bits(f().eval(), expected));
            if (stats().run_by_blocks == before) break;
        }
        ++kernels;
    }
    synchronize();
    CHECK(stats().kernels_compiled == kernels);
    runtime::set_background_patience(std::chrono::milliseconds(100));
    runtime::set_background_low(false);
}

TEST_CASE("background: a fork while a kernel is compiled leaves both processes working") {
    if (!test::has_compiler() || !test::can_start_threads_after_fork()) return;
    const Tensor a = numbers(1000).eval();
    for (int i = 1; i < 6; ++i) {
        const auto f = [&](double c) {
            Tensor x = a + c;
            for (int k = 0; k < i; ++k) x = x * a + c;
            return x;
        };
        const Tensor expected = eagerly([&] { return f(2); }).eval();
        CHECK(same_bits(f(2).eval(), expected));  // compilation begins
        std::this_thread::sleep_for(std::chrono::milliseconds(i));
        CHECK(test::status_of_child([&] {
                  if (!same_bits(f(2).eval(), expected)) return 1;
                  synchronize();
                  reset_stats();
                  if (!same_bits(f(2).eval(), expected)) return 2;
                  return stats().run_by_blocks == 0 ? 0 : 3;
              }) == 0);
        CHECK(same_bits(f(2).eval(), expected));
    }
    synchronize();
}

TEST_CASE("child: compute once" * doctest::skip()) {
    const Tensor a = numbers(1000);
    reset_stats();
    (a * 3 - 1).tanh().eval();
    const bool warm = stats().kernels_loaded > 0;
    const bool right = warm ? stats().run_by_blocks == 0 && !compiler_is_loaded()
                            : stats().run_by_blocks == stats().kernels_launched;
    synchronize();
    _exit(right ? static_cast<int>(stats().kernels_compiled) : 100);
}

TEST_CASE("background: a warm process runs code from disk and never opens the compiler") {
    if (!test::has_compiler()) return;
    const sinter::testing::temporary_folder folder;
    CHECK(run_again("child: compute once", folder.path()) > 0);
    CHECK(run_again("child: compute once", folder.path()) == 0);
}

TEST_CASE("background: several kernels of one evaluation are compiled together") {
    if (!test::has_compiler()) return;
    synchronize();
    reset_stats();
    {
        const test::held_compiler held;
        const Tensor a = numbers(4096).reshape({64, 64}).eval();
        const Tensor x = cumsum(a * 2, 0), y = cumsum(x + 1, 1), z = cumsum(y * y, 0) - 4;
        reset_stats();
        z.eval();
        CHECK(stats().run_by_blocks >= 3);
    }
    const uint64_t blocks = stats().run_by_blocks;
    synchronize();
    CHECK(stats().kernels_compiled == blocks);
}
