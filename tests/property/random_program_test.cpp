// Random programs: eager and lazy runs see the same values, with any number of threads.
#include "tests/support/again.hpp"
#include "tests/background/held.hpp"
#include "tests/jit/cache/temporary_folder.hpp"
#include "tests/property/shrink.hpp"
#include "tests/seed.hpp"
#include "tests/support/fork.hpp"

#include "engine/run/lower.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>

namespace sinter::test {
namespace {

/// Returns a number from the environment, for runs of another length.
int asked(const char* variable, int otherwise) {
    const char* text = std::getenv(variable);
    return text ? std::atoi(text) : otherwise;
}

const int statement_count = asked("SINTER_TEST_STATEMENTS", 300);

/// Returns the number of programs of a run; if there is a compiler, it takes most of the time.
int programs() {
    if (const int n = asked("SINTER_TEST_PROGRAMS", 0)) return n;
    switch (default_executor()) {
        case plan::executor::compiled: return 24;
        case plan::executor::interpret: return 25;
        default: return 100;
    }
}

void report(uint64_t seed, const program& p, const difference& d) {
    std::cout << "random program " << seed << " differs with " << d.how << " at statement "
              << d.statement << "\n"
              << d.text << "\nshrinking..." << std::endl;
    // Run twice: the second run may use a kernel that is known by then.
    const std::vector<setting> twice = {d.how, d.how};
    const program less = shrink(p, 400, [&](const program& some) {
        return compare_modes(some, nullptr, twice).has_value();
    });
    const auto again = compare_modes(less, nullptr, twice);
    std::cout << "SINTER_TEST_PROGRAM=" << seed << " replays it. Smallest:\n" << listing(less);
    if (again)
        std::cout << "differs at statement " << again->statement << "\n"
                  << again->text << std::endl;
}

void check_counts(const coverage& n) {
    for (int row = 0; row < op::count; ++row) {
        const std::string name = op::rows[row].name;
        CAPTURE(name);
        CHECK(n.rows[static_cast<std::size_t>(row)] > 0);
    }
    for (std::size_t r = 0; r < n.reductions.size(); ++r) {
        const std::string name = op::reductions[r].name;
        CAPTURE(name);
        CHECK(n.reductions[r] > 0);
    }
    for (std::size_t v = 0; v < n.views_read.size(); ++v) {
        const std::string name = to_string(static_cast<view_kind>(v));
        CAPTURE(name);
        CHECK(n.views_read[v] > 0);
        // Elements of an expanded tensor share an address, so writes to one are refused.
        CHECK(n.views_written[v] > 0);
    }
    for (std::size_t k = 0; k < n.done.size(); ++k) {
        const std::string name = to_string(static_cast<statement_kind>(k));
        CAPTURE(name);
        const bool here = static_cast<statement_kind>(k) != statement_kind::exact_product;
        CHECK((n.done[k] > 0) == here);
    }
    for (std::size_t k = 1; k < n.pauses.size(); ++k) {
        CAPTURE(k);
        CHECK(n.pauses[k] > 0);
    }
    for (const std::string from : {"rows", "permuted", "gaps", "expanded"})
        for (const std::string to : {"rows", "permuted", "gaps"}) {
            CAPTURE(from);
            CAPTURE(to);
            // With or without an offset.
            CHECK(std::any_of(n.layouts.begin(), n.layouts.end(), [&](const auto& written) {
                const std::string& how = written.first;
                return how.rfind(from, 0) == 0 && how.find("-> " + to) != std::string::npos;
            }));
        }
    for (const std::string& name : function_names()) {
        CAPTURE(name);
        CHECK(n.functions.count(name) == 1);
    }
    for (const std::string dtype : {"Byte", "Char", "Short", "Int", "Long", "Half", "BFloat16",
                                    "Float", "Double", "Bool", "ComplexFloat", "ComplexDouble"}) {
        CAPTURE(dtype);
        CHECK(n.dtypes.count(dtype) == 1);
    }
    for (const std::string extent :
         {"0", "1", "7", "8", "9", "15", "16", "17", "31", "32", "33", "4095", "4096", "4097"}) {
        CAPTURE(extent);
        CHECK(n.extents.count(extent) == 1);
    }
    CHECK(n.writes * 4 >= n.statements);
    CHECK(n.external_reads > 0);
    CHECK(n.external_writes > 0);
    CHECK(n.late_reads > 0);
}

void check_hazards(const coverage& n) {
    const auto some = [&](const std::string& part) {
        for (const auto& [kind, count] : n.hazards)
            if (kind.find(part) != std::string::npos) return true;
        return false;
    };
    for (const std::string kind : {"pending readers", "held by an expression", "pending writes",
                                   "seen by views", "in part", "from itself", "external memory"}) {
        CAPTURE(kind);
        CHECK(some(kind));
    }
}

/// Returns the reasons to cut a kernel that no program had.
std::vector<std::string> missing_cuts(const coverage& n) {
    std::vector<std::string> missing;
    for (int k = 1; k <= static_cast<int>(plan::cut::in_place); ++k) {
        const auto c = static_cast<plan::cut>(k);
        if (c == plan::cut::passed_twice && default_executor() == plan::executor::blocks) continue;
        // Only second plans have this cut: plan/autotune_test.cpp.
        if (c == plan::cut::unsure) continue;
        // These programs have no gradients: plan/recompute_test.cpp.
        if (c == plan::cut::saved) continue;
        if (n.cuts.count(plan::to_string(c)) == 0) missing.emplace_back(plan::to_string(c));
    }
    return missing;
}

void print(const coverage& n) {
    std::cout << n.statements << " statements, " << n.writes << " writes, " << n.refused
              << " refused, " << n.reads << " reads (" << n.late_reads << " late), external "
              << n.external_reads << " read " << n.external_writes << " written\n";
    for (const auto* counts : {&n.cuts, &n.hazards, &n.layouts, &n.functions})
        for (const auto& [what, count] : *counts) std::cout << "  " << count << " " << what << "\n";
}

TEST_CASE("random programs give equal bits in both modes and with any number of threads") {
    coverage counts;
    if (const char* text = std::getenv("SINTER_TEST_PROGRAM")) {
        const uint64_t seed = std::strtoull(text, nullptr, 0);
        const program p = random_program(seed, statement_count);
        if (fails_in_child(p, {}) && std::getenv("SINTER_TEST_CRASHES")) {
            const program less =
                shrink(p, 400, [](const program& some) { return fails_in_child(some, {}); });
            std::cout << "crashes or differs; smallest:\n" << std::flush << listing(less);
        }
        const auto d = compare_modes(p, &counts, usual_settings);
        if (d) report(seed, p, *d);
        CHECK_FALSE(d.has_value());
        return;
    }
    reset_stats();
    std::cout << "programs (SINTER_TEST_PROGRAM replays one): ";
    // Some reasons are rare: a new row changes all draws, so more programs may be needed.
    const int usual = cases(programs(), 8);
    const auto more = [&] { return !sanitized() && !missing_cuts(counts).empty(); };
    for (int i = 0; i < usual || (i < 3 * usual && more()); ++i) {
        const uint64_t one = chooser(seed() + static_cast<uint64_t>(i)).bits() >> 32;
        INFO("SINTER_TEST_PROGRAM=", one);
        std::cout << one << " " << std::flush;  // shows the last program even if it crashes
        const program p = random_program(one, statement_count);
        const auto d = compare_modes(p, &counts, usual_settings);
        if (d) report(one, p, *d);
        REQUIRE_FALSE(d.has_value());
    }
    std::cout << "\n";
    print(counts);
    if (!sanitized()) {  // covered by all programs together; a quarter of them covers less
        check_counts(counts);
        check_hazards(counts);
        for (const std::string& reason : missing_cuts(counts))
            FAIL_CHECK("no program had: " << reason);
    }
    CHECK(stats().bytes_donated > 0);
}

/// Runs each program `times` times. Ends the process if one differs.
void run_programs(uint64_t salt, int count, int times) {
    for (int i = 0; i < cases(count, 4) * times; ++i) {
        const uint64_t one = chooser(seed() + salt + static_cast<uint64_t>(i / times)).bits() >> 32;
        std::cout << one << " " << std::flush;  // shows the last program even if it crashes
        const program p = random_program(one, statement_count);
        if (i % times > 0) synchronize();
        const auto d = compare_modes(p, nullptr, usual_settings);
        if (!d) continue;
        report(one, p, *d);
        std::cout << std::flush;
        _exit(1);
    }
    std::cout << count << " programs: " << stats().run_by_blocks << " kernels by blocks, "
              << stats().cache_hits << " compiled" << std::endl;
}

TEST_CASE("child: programs whose kernels are never compiled" * doctest::skip()) {
    const held_compiler held;
    run_programs(1000, asked("SINTER_TEST_PROGRAMS", 10), 1);
    _exit(stats().run_by_blocks > 0 ? 0 : 2);
}

TEST_CASE("child: programs whose kernels are compiled meanwhile" * doctest::skip()) {
    run_programs(2000, 2, 2);
    _exit(stats().run_by_blocks > 0 && stats().cache_hits > 0 ? 0 : 2);
}

TEST_CASE("child: programs whose kernels are not on disk" * doctest::skip()) {
    run_programs(3000, 2, 1);
    _exit(stats().kernels_compiled > 0 ? 0 : 2);
}

TEST_CASE("child: programs whose kernels are on disk" * doctest::skip()) {
    run_programs(3000, 2, 1);
    _exit(stats().kernels_loaded > stats().kernels_compiled ? 0 : 2);
}

TEST_CASE("random programs give equal bits with kernels from disk") {
    if (default_executor() == plan::executor::blocks) return;  // no kernels in this build
    const testing::temporary_folder folder;
    for (const char* state : {"are not on disk", "are on disk"}) {
        CAPTURE(state);
        CHECK(status_of_child([&] {
                  setenv("SINTER_CACHE_DIR", folder.path().c_str(), 1);
                  return become_cases(std::string("child: programs*") + state);
              }) == 0);
    }
}

TEST_CASE("random programs give equal bits while their kernels are compiled in the background") {
    if (default_executor() == plan::executor::blocks) return;  // no kernels in this build
    for (const char* which : {"never", "meanwhile"}) {
        CAPTURE(which);
        CHECK(status_of_child([&] {
                  setenv("SINTER_JIT", "background", 1);
                  setenv("SINTER_JIT_PRIORITY", "normal", 1);
                  return become_cases(std::string("child: programs*") + which + "*");
              }) == 0);
    }
}

}  // namespace
}  // namespace sinter::test
