#include "runtime/stats.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace sinter;

TEST_CASE("stats: counters rise, are read by name, and are reset") {
    reset_stats();
    runtime::count.kernels_launched.add();
    runtime::count.kernels_compiled.add(2);
    runtime::count.kernels_loaded.add(3);
    runtime::count.cache_hits.add(4);
    runtime::count.interpreted.add(5);
    runtime::count.library_calls.add(6);
    runtime::count.epilogues.add(10);
    runtime::count.plans_built.add(7);
    runtime::count.plans_replayed.add(8);
    runtime::count.bytes_donated.add(9);
    runtime::count.run_by_blocks.add(11);
    runtime::count.flushed(flush_reason::print);
    runtime::count.flushed(flush_reason::print);
    runtime::count.nodes_pending.add(10);
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
    CHECK(stats().nodes_pending == r.nodes_pending);  // what is pending stays pending
    runtime::count.nodes_pending.add(-10);
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
