#include "runtime/threads/threads.hpp"

#include "runtime/base/device.hpp"
#include "runtime/threads/background.hpp"
#include "runtime/threads/openmp.hpp"
#include "tests/runtime/again.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <future>
#include <latch>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace sinter;
using runtime::parallel_for;

namespace {

/// Restores the thread count.
struct with_threads {
    explicit with_threads(int n) : saved(get_num_threads()) { set_num_threads(n); }
    ~with_threads() { set_num_threads(saved); }
    int saved;
};

struct ranges {
    std::mutex mutex;
    std::vector<std::pair<int64_t, int64_t>> list;
    std::set<std::thread::id> threads;

    void add(int64_t b, int64_t e) {
        std::lock_guard lock(mutex);
        list.emplace_back(b, e);
        threads.insert(std::this_thread::get_id());
    }
    /// Returns true if the ranges cover [begin, end) and none is empty.
    bool cover(int64_t begin, int64_t end) {
        std::sort(list.begin(), list.end());
        for (auto [b, e] : list) {
            if (b != begin || e <= b) return false;
            begin = e;
        }
        return begin == end;
    }
};

}  // namespace

TEST_CASE("threads: ranges cover the loop once, and none is below the grain") {
    for (int threads : {1, 2, 3, 7}) {
        with_threads scope(threads);
        for (int64_t n : {0, 1, 2, 5, 7, 8, 100, 1001}) {
            for (int64_t grain : {0, 1, 3, 50, 2000}) {
                CAPTURE(threads);
                CAPTURE(n);
                CAPTURE(grain);
                ranges r;
                parallel_for(-3, n - 3, grain, [&](int64_t b, int64_t e) { r.add(b, e); });
                CHECK(r.cover(-3, n - 3));
                CHECK(static_cast<int>(r.threads.size()) <= threads);
                for (auto [b, e] : r.list) CHECK((e - b >= grain || e - b == n));
            }
        }
    }
    parallel_for(5, 4, 1, [](int64_t, int64_t) { FAIL("an empty loop ran"); });
}

TEST_CASE("threads: a loop is cut into as many chunks for one thread as for another") {
    for (const int threads : {2, 3, 5}) {
        const with_threads count(threads);
        for (int64_t n = threads; n <= 6 * threads; ++n) {
            ranges seen;
            parallel_for(0, n, 1, [&](int64_t b, int64_t e) { seen.add(b, e); });
            CAPTURE(threads);
            CAPTURE(n);
            CHECK(seen.cover(0, n));
            CHECK(seen.list.size() % static_cast<std::size_t>(threads) == 0);
        }
    }
}

TEST_CASE("threads: several threads take part") {
    with_threads scope(3);
    CHECK(runtime::available_threads() == 3);
    ranges r;
    std::latch all_here(3);
    parallel_for(0, 3, 1, [&](int64_t b, int64_t e) {
        r.add(b, e);
        all_here.arrive_and_wait();
    });
    CHECK(r.threads.size() == 3);
    CHECK(r.threads.count(std::this_thread::get_id()) == 1);
}

TEST_CASE("threads: while kernels are compiled, one processor is left to the compiler") {
    const int processors = runtime::processors(), before = get_num_threads();
    std::promise<void> go;
    runtime::run_in_background([&go] { go.get_future().wait(); });
    for (const int threads : {1, processors, processors + 3}) {
        set_num_threads(threads);
        const int left = threads == 1 || threads < processors ? threads : threads - 1;
        CHECK(runtime::available_threads() == left);
        ranges r;
        std::latch all_here(left);
        runtime::parallel_for(0, left, 1, [&](int64_t b, int64_t e) {
            r.add(b, e);
            all_here.arrive_and_wait();
        });
        CHECK(static_cast<int>(r.threads.size()) == left);
        CHECK(get_num_threads() == threads);
    }
    go.set_value();
    synchronize();
    set_num_threads(processors);
    CHECK(runtime::available_threads() == processors);
    set_num_threads(before);
}

TEST_CASE("threads: a loop inside a loop runs on its thread") {
    with_threads scope(3);
    std::atomic<int> inner{0}, foreign{0}, available{0};
    parallel_for(0, 3, 1, [&](int64_t b, int64_t e) {
        available += runtime::available_threads();
        auto self = std::this_thread::get_id();
        for (int64_t i = b; i < e; ++i)
            parallel_for(0, 100, 1, [&](int64_t ib, int64_t ie) {
                inner += static_cast<int>(ie - ib);
                foreign += std::this_thread::get_id() != self;
            });
    });
    CHECK(inner == 300);
    CHECK(foreign == 0);
    CHECK(available == 3);
}

TEST_CASE("threads: who does not get the token runs on its own thread") {
    with_threads scope(2);
    std::atomic<int> done{0}, wrong{0};
    std::vector<std::thread> users;
    for (int u = 0; u < 4; ++u)
        users.emplace_back([&] {
            for (int i = 0; i < 200; ++i) {
                std::atomic<int64_t> sum{0};
                parallel_for(0, 1000, 1, [&](int64_t b, int64_t e) {
                    for (int64_t j = b; j < e; ++j) sum += j;
                });
                wrong += sum != 499500;
            }
            ++done;
        });
    for (std::thread& t : users) t.join();
    CHECK(done == 4);
    CHECK(wrong == 0);
}

TEST_CASE("threads: an exception reaches the caller after every range has ended") {
    with_threads scope(3);
    for (int round = 0; round < 20; ++round) {
        std::atomic<int> ended{0};
        std::string text;
        try {
            parallel_for(0, 3, 1, [&](int64_t b, int64_t) {
                ++ended;
                if (b >= 1) throw std::runtime_error("range " + std::to_string(b));
            });
        } catch (const std::runtime_error& e) {
            text = e.what();
        }
        CHECK(ended == 3);
        CHECK(text == "range 1");
    }
    // The token is free again; a single thread throws in the same way.
    ranges r;
    parallel_for(0, 3, 1, [&](int64_t b, int64_t e) { r.add(b, e); });
    CHECK(r.list.size() == 3);
    set_num_threads(1);
    CHECK_THROWS_AS(parallel_for(0, 3, 1, [](int64_t, int64_t) { throw ValueError("one"); }),
                    ValueError);
}

TEST_CASE("threads: SINTER_THREADS is checked where a loop begins") {
    CHECK(test::run_again("reports: loops run", "SINTER_THREADS", "team") == 0);
    CHECK(test::run_again("reports: loops run", "SINTER_THREADS", "openmp") ==
          (runtime::have_openmp ? 0 : 1));
    CHECK(test::run_again("reports: a child has one thread", "SINTER_THREADS", "openmp") ==
          (runtime::have_openmp ? 0 : 1));
    CHECK(test::run_again("reports: no OpenMP", "SINTER_THREADS", "openmp") ==
          (runtime::have_openmp ? 1 : 0));
}

TEST_CASE("reports: loops run" * doctest::skip()) {
    with_threads scope(3);
    for (int round = 0; round < 100; ++round) {
        ranges r;
        parallel_for(0, 1000, 10, [&](int64_t b, int64_t e) { r.add(b, e); });
        CHECK(r.cover(0, 1000));
    }
}

TEST_CASE("reports: a child has one thread" * doctest::skip()) {
    with_threads scope(2);
    std::atomic<int> warm{0};
    parallel_for(0, 2, 1, [&](int64_t, int64_t) { ++warm; });
    CHECK(!runtime::in_forked_child());
    const int status = test::run_in_child([] {
        if (!runtime::in_forked_child() || runtime::available_threads() != 1) return 1;
        int calls = 0;  // only this thread may access it
        parallel_for(0, 1000, 1, [&](int64_t b, int64_t e) { calls += b == 0 && e == 1000; });
        return calls == 1 ? 0 : 2;
    });
    CHECK(status == 0);
    CHECK(runtime::available_threads() == 2);
}

TEST_CASE("reports: no OpenMP" * doctest::skip()) {
    CHECK_THROWS_WITH_AS(parallel_for(0, 2, 1, [](int64_t, int64_t) {}),
                         "[SINTER_THREADS] the library is built without OpenMP; got openmp, "
                         "expected team; try leaving it unset",
                         ValueError);
}

TEST_CASE("threads: the count is checked, and bounded") {
    with_threads scope(2);
    CHECK(get_num_threads() == 2);
    CHECK_THROWS_WITH_AS(set_num_threads(0),
                         "[set_num_threads] the number of threads is not positive; got 0, expected "
                         "1 or more; try std::thread::hardware_concurrency()",
                         ValueError);
    CHECK(get_num_threads() == 2);
}

TEST_CASE("threads: libtorch's second count is kept, and changes nothing") {
    init_num_threads();
    set_num_interop_threads(3);
    CHECK(get_num_interop_threads() == 3);
    CHECK_THROWS_WITH_AS(set_num_interop_threads(0),
                         "[set_num_interop_threads] Expected positive number of threads; got 0, "
                         "expected 1 or more; try 1",
                         Error);
    set_num_interop_threads(1);
}

TEST_CASE("threads: loops of a program's own") {
    with_threads scope(2);
    std::vector<int> seen(1000, 0);
    sinter::parallel_for(5, 1000, 10, [&](int64_t b, int64_t e) {
        for (int64_t i = b; i < e; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    CHECK(std::accumulate(seen.begin(), seen.end(), 0) == 995);
    CHECK(std::accumulate(seen.begin(), seen.begin() + 5, 0) == 0);
    sinter::parallel_for(3, 3, 1, [](int64_t, int64_t) { throw 1; });  // nothing to do
    sinter::parallel_for(4, 3, 1, [](int64_t, int64_t) { throw 1; });
    const auto fails = [](int64_t b, int64_t) {
        if (b == 0) throw ValueError("mine");
    };
    CHECK_THROWS_WITH_AS(sinter::parallel_for(0, 100, 1, fails), "mine", ValueError);
    CHECK_THROWS_WITH_AS(sinter::parallel_for(0, 100, -1, fails),
                         "[parallel_for] the grain size is negative; got -1, expected 0 or more; "
                         "try 0, with which parallel_for chooses",
                         Error);
    // The same ranges with any number of threads give the same bits.
    const auto sum = [](int threads) {
        set_num_threads(threads);
        return sinter::parallel_reduce(
            int64_t{0}, int64_t{100000}, 100, 0.f,
            [](int64_t b, int64_t e, float s) {
                for (int64_t i = b; i < e; ++i) s += 1.f / static_cast<float>(i + 1);
                return s;
            },
            [](float a, float b) { return a + b; });
    };
    const float one = sum(1);
    CHECK(std::abs(one - 12.090146f) < 1e-3f);
    CHECK(sum(2) == one);
    CHECK(sinter::parallel_reduce(
              int64_t{3}, int64_t{3}, 1, 7, [](int64_t, int64_t, int) { return 0; },
              [](int, int) { return 0; }) == 7);
}

TEST_CASE("threads: SINTER_NUM_THREADS is the first count") {
    CHECK(test::run_again("reports: five threads", "SINTER_NUM_THREADS", "5") == 0);
    CHECK(test::run_again("reports: five threads", "SINTER_NUM_THREADS", "4") == 1);
    CHECK(test::run_again("reports: some threads", "SINTER_NUM_THREADS", "") == 0);
    CHECK(test::run_again("reports: some threads", "SINTER_NUM_THREADS", "none") == 1);
}

TEST_CASE("reports: five threads" * doctest::skip()) { CHECK(get_num_threads() == 5); }
TEST_CASE("reports: some threads" * doctest::skip()) { CHECK(get_num_threads() >= 1); }

TEST_CASE("threads: synchronize waits for whoever asked it to") {
    static std::atomic<int> waited{0};
    runtime::on_synchronize([] { ++waited; });
    synchronize();
    CHECK(waited == 1);
    synchronize();
    CHECK(waited == 2);
}
