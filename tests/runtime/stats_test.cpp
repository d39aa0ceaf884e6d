#include "runtime/report/stats.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace sinter;

TEST_CASE("stats: counters rise, are read by name, and are reset") {
    reset_stats();
    runtime::count().kernels_launched.add();
    runtime::count().kernels_compiled.add(2);
    runtime::count().kernels_loaded.add(3);
    runtime::count().cache_hits.add(4);
    runtime::count().interpreted.add(5);
    runtime::count().library_calls.add(6);
    runtime::count().epilogues.add(10);
    runtime::count().plans_built.add(7);
    runtime::count().plans_replayed.add(8);
    runtime::count().bytes_donated.add(9);
    runtime::count().run_by_blocks.add(11);
    runtime::count().flushed(flush_reason::print);
    runtime::count().flushed(flush_reason::print);
    runtime::nodes_pending.add(10);
    stats_report r = stats();
    CHECK(r.kernels_launched == 1);
    CHECK(r.kernels_compiled == 2);
    CHECK(r.kernels_loaded == 3);
    CHECK(r.cache_hits == 4);
    CHECK(r.interpreted == 5);
    CHECK(r.library_calls == 6);
    CHECK(r.epilogues == 10);
    CHECK(r.plans_built == 7);
    CHECK(r.plans_replayed == 8);
    CHECK(r.bytes_donated == 9);
    CHECK(r.run_by_blocks == 11);
    CHECK(r.flushed(flush_reason::print) == 2);
    CHECK(r.flushed(flush_reason::eval) == 0);
    reset_stats();
    CHECK(stats().kernels_launched == 0);
    CHECK(stats().bytes_donated == 0);
    CHECK(stats().flushed(flush_reason::print) == 0);
    CHECK(stats().nodes_pending == r.nodes_pending);  // pending operations stay pending
    runtime::nodes_pending.add(-10);
}

TEST_CASE("stats: what threads count adds up, and stays when they end") {
    reset_stats();
    const int64_t live = stats().bytes_live;
    for (int round = 0; round < 3; ++round) {
        std::vector<std::thread> threads;
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([t] {
                for (int i = 0; i < 1000; ++i) runtime::count().cache_hits.add();
                runtime::count().bytes.taken(t < 2 ? 100 : 10000);
            });
        for (std::thread& t : threads) t.join();
    }
    CHECK(stats().cache_hits == 12000);
    CHECK(stats().bytes_allocated == 3 * 20200);
    CHECK(stats().bytes_live == live + 3 * 20200);
    CHECK(stats().bytes_peak == live + 3 * 20200);
    for (int i = 0; i < 6; ++i) runtime::count().bytes.given(100);
    CHECK(stats().bytes_live == live + 3 * 20000);
    CHECK(stats().bytes_peak == live + 3 * 20200);
    for (int i = 0; i < 6; ++i) runtime::count().bytes.given(10000);
    CHECK(stats().bytes_live == live);
    CHECK(stats().bytes_allocated == 3 * 20200);
}

TEST_CASE("stats: a running thread's counts are seen") {
    reset_stats();
    std::atomic<int> step{0};
    std::thread other([&] {
        runtime::count().interpreted.add(3);
        runtime::count().bytes.taken(50);
        step = 1;
        while (step != 2) std::this_thread::yield();
        runtime::count().bytes.given(50);
    });
    while (step != 1) std::this_thread::yield();
    CHECK(stats().interpreted == 3);
    CHECK(stats().bytes_allocated == 50);
    const int64_t live = stats().bytes_live;
    reset_stats();
    CHECK(stats().interpreted == 0);
    CHECK(stats().bytes_allocated == 0);
    step = 2;
    other.join();
    CHECK(stats().bytes_live == live - 50);
}

TEST_CASE("stats: every flush reason has a name of its own") {
    std::set<std::string> names;
    for (std::size_t i = 0; i < flush_reason_count; ++i)
        names.insert(to_string(static_cast<flush_reason>(i)));
    CHECK(names.size() == flush_reason_count);
    CHECK(to_string(flush_reason::value_read) == std::string("value_read"));
    CHECK(to_string(flush_reason::other) == std::string("other"));
    CHECK(to_string(static_cast<flush_reason>(200)) == std::string("?"));
}
