// The library's own team under what may happen to it: helpers that are not run, forks, the end of
// the process, many callers.
#include "runtime/threads/team.hpp"

#include "runtime/threads/threads.hpp"
#include "tests/runtime/again.hpp"
#include "tests/seed.hpp"
#include "tests/support/fork.hpp"

#include <doctest/doctest.h>

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <latch>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace sinter;
using runtime::parallel_for;

namespace {

struct with_threads {
    explicit with_threads(int n) : saved(get_num_threads()) { set_num_threads(n); }
    ~with_threads() { set_num_threads(saved); }
    int saved;
};

/// Runs a loop over `count` elements, and returns true if each was visited once.
bool visits_each_once(int64_t count, int64_t grain) {
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
    parallel_for(0, count, grain, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    return std::all_of(seen.begin(), seen.end(), [](int n) { return n == 1; });
}

/// Runs loops of random lengths, and returns how many went wrong.
int random_loops(uint64_t seed, int loops) {
    std::mt19937_64 random(seed);
    int wrong = 0;
    for (int i = 0; i < loops; ++i) {
        const auto count = static_cast<int64_t>(random() % (random() % 8 ? 200 : 20000));
        wrong += !visits_each_once(count, static_cast<int64_t>(random() % 20));
    }
    return wrong;
}

/// Returns the thread id of the only helper of a team of two.
pid_t helper_id() {
    std::latch both(2);
    std::atomic<pid_t> id{0};
    parallel_for(0, 2, 1, [&](int64_t, int64_t) {
        if (gettid() != getpid()) id = gettid();
        both.arrive_and_wait();
    });
    return id;
}

}  // namespace

TEST_CASE("team: many loops in succession, from one thread and from several") {
    const uint64_t seed = test::seed();
    CAPTURE(seed);
    const with_threads scope(4);
    CHECK(random_loops(seed, test::cases(400)) == 0);
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (uint64_t c = 1; c <= 4; ++c)
        callers.emplace_back([&, c] { wrong += random_loops(seed + c, test::cases(400)); });
    for (std::thread& t : callers) t.join();
    CHECK(wrong == 0);
}

TEST_CASE("team: loops of changing numbers of threads get no more than they ask for") {
    const with_threads scope(1);
    int most = 0, wrong = 0;
    for (int round = 0; round < 400; ++round) {
        const int threads = 1 + round * 7 % 5;
        set_num_threads(threads);
        std::atomic<int> now{0}, highest{0};
        parallel_for(0, 64, 1, [&](int64_t, int64_t) {
            const int mine = ++now;
            int high = highest;
            while (mine > high && !highest.compare_exchange_weak(high, mine)) {
            }
            std::this_thread::yield();
            --now;
        });
        wrong += highest > threads;
        most = std::max<int>(most, highest);
    }
    CHECK(wrong == 0);
    CHECK(most > 1);
}

TEST_CASE("team: a caller waits for a chunk that a helper has begun") {
    const with_threads scope(2);
    for (int round = 0; round < 20; ++round) {
        std::latch both(2);
        std::atomic<bool> helped{false};
        parallel_for(0, 2, 1, [&](int64_t, int64_t) {
            both.arrive_and_wait();
            if (gettid() == getpid()) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(round % 5));
            helped = true;
        });
        CHECK(helped);
    }
}

TEST_CASE("team: exceptions of helpers and of the caller") {
    const with_threads scope(3);
    for (const bool by_caller : {false, true})
        for (int round = 0; round < 50; ++round) {
            std::atomic<int> ended{0};
            std::latch all_here(3);
            CHECK_THROWS_WITH_AS(parallel_for(0, 3, 1,
                                              [&](int64_t, int64_t) {
                                                  all_here.arrive_and_wait();
                                                  ++ended;
                                                  if ((gettid() == getpid()) == by_caller)
                                                      throw std::runtime_error("mine");
                                              }),
                                 "mine", std::runtime_error);
            CHECK(ended == 3);
        }
    CHECK(visits_each_once(1000, 1));
}

TEST_CASE("team: who spins or sleeps is there for the next loop") {
    using std::chrono::microseconds;
    const with_threads scope(2);
    for (const int pause : {0, 10, 200, 600, 3000})
        for (int round = 0; round < 10; ++round) {
            std::this_thread::sleep_for(microseconds(pause));
            if (round % 3 == 0) runtime::rest_team();
            std::latch both(2);
            parallel_for(0, 2, 1, [&](int64_t, int64_t) { both.arrive_and_wait(); });
        }
}

TEST_CASE("team: a helper that the system does not run is not waited for") {
    CHECK(test::run_again("alone: a helper without a processor", "SINTER_NUM_THREADS", "2") == 0);
}

TEST_CASE("alone: a helper without a processor" * doctest::skip()) {
    cpu_set_t one, mask;
    CPU_ZERO(&one);
    REQUIRE(sched_getaffinity(0, sizeof mask, &mask) == 0);
    int last = 0;
    for (int p = 0; p < CPU_SETSIZE; ++p)
        if (CPU_ISSET(p, &mask)) last = p;
    CPU_SET(last, &one);
    // The helper gets what a thread that always runs leaves of one processor: a 300th of its time.
    const pid_t helper = helper_id();
    REQUIRE(sched_setaffinity(helper, sizeof one, &one) == 0);
    constexpr sched_param none{};
    REQUIRE(sched_setscheduler(helper, SCHED_IDLE, &none) == 0);
    std::atomic<bool> stop{false};
    std::thread busy([&] {
        sched_setaffinity(0, sizeof one, &one);
        while (!stop) {
        }
    });
    const auto begin = std::chrono::steady_clock::now();
    int wrong = 0;
    for (int i = 0; i < 500; ++i) {
        if (i % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
        wrong += !visits_each_once(100, 1);
    }
    const auto took = std::chrono::steady_clock::now() - begin;
    stop = true;
    busy.join();
    CHECK(wrong == 0);
    // With a barrier each loop would take its turn: half a second.
    CHECK(took < std::chrono::seconds(20));
}

TEST_CASE("team: a forked child has a team of its own") {
    const with_threads scope(3);
    CHECK(visits_each_once(1000, 1));
    if (!test::can_start_threads_after_fork()) return;
    for (const bool beside : {false, true}) {
        std::atomic<bool> stop{false};
        std::thread other([&] {  // perhaps the token is taken at the fork
            while (beside && !stop) visits_each_once(200, 1);
        });
        for (int round = 0; round < 10; ++round)
            CHECK(test::run_in_child([] {
                      if (!runtime::in_forked_child() || runtime::available_threads() != 3)
                          return 1;
                      std::latch all_here(3);
                      parallel_for(0, 3, 1, [&](int64_t, int64_t) { all_here.arrive_and_wait(); });
                      return random_loops(7, 50) == 0 ? 0 : 2;
                  }) == 0);
        stop = true;
        other.join();
    }
    CHECK(visits_each_once(1000, 1));
}

TEST_CASE("team: a process ends while helpers spin, sleep or work") {
    for (const char* how : {"spin", "sleep", "work"})
        CHECK(test::run_again("alone: ends", "SINTER_TEST_END", how) == 17);
}

TEST_CASE("alone: ends" * doctest::skip()) {
    set_num_threads(3);
    CHECK(visits_each_once(1000, 1));
    const std::string how = std::getenv("SINTER_TEST_END");
    if (how == "sleep") std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (how == "work") {
        std::thread([] {
            for (;;) visits_each_once(200, 1);
        }).detach();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    std::exit(17);
}

TEST_CASE("team: ten thousand threads call, one after the other and many at a time") {
    const with_threads scope(3);
    std::atomic<int> wrong{0};
    constexpr int at_a_time = 50;
    const int rounds = test::sanitized() ? 20 : 200;
    for (int round = 0; round < rounds; ++round) {
        std::vector<std::thread> callers;
        for (int c = 0; c < at_a_time; ++c)
            callers.emplace_back([&] { wrong += !visits_each_once(100, 1); });
        for (std::thread& t : callers) t.join();
    }
    CHECK(wrong == 0);
}
