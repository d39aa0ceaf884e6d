// Instructions of statements, counted by valgrind.
#include "ops/benchmark/callgrind_file.hpp"
#include "tests/ops/check.hpp"
#include "tests/runtime/again.hpp"
#include "tests/seed.hpp"

#include <sinter/benchmark.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

namespace sinter::test {
namespace {

using benchmark::CallgrindStats, benchmark::FunctionCount, benchmark::FunctionCounts;
using benchmark::Timer;
using counts_list = std::vector<FunctionCount>;

counts_list listed(const FunctionCounts& c) { return {c.begin(), c.end()}; }

benchmark_text::callgrind_file read(const std::string& text) {
    std::istringstream in(text);
    return benchmark_text::read_callgrind_file(in);
}

constexpr const char* file =
    "# callgrind format\nversion: 1\npositions: line\nevents: Ir\n\n"
    "ob=(1) /some/where/libone.so\nfl=(1) one.cpp\nfn=(7) outer(int)\n"
    "10 3\n+1 4\ncob=(2) /program\ncfi=(2) two.cpp\ncfn=(8) inner<(int)1>\ncalls=2 5\n* 60\n-1 "
    "5\n\n"
    "ob=(2)\nfl=(2)\nfn=(8)\n5 60\n\nob=(3) ???\nfn=(9) 0x00000000049e1000\n0 2\n"
    "fn=(10) 0x0000000004aa1000\n0 1\n\nob=(1)\nfn=(7)\n20 8\n\ntotals: 83\n";

TEST_CASE("collect_callgrind: a file gives each function its instructions and those of its calls") {
    const benchmark_text::callgrind_file f = read(file);
    CHECK(listed(f.exclusive) == counts_list{{60, "inner<(int)1> [program]"},
                                             {20, "outer(int) [libone.so]"},
                                             {3, "??? [???]"}});
    CHECK(listed(f.inclusive) == counts_list{{80, "outer(int) [libone.so]"},
                                             {60, "inner<(int)1> [program]"},
                                             {3, "??? [???]"}});
    CHECK(f.exclusive.sum() == 83);
    CHECK(read("").exclusive.size() == 0);
    const auto refused = [](const char* text, const std::string& got) {
        CHECK_ERROR(Error, read(text),
                    "[collect_callgrind] a file of callgrind cannot be read; got line " + got +
                        "; try another version of valgrind");
    };
    const std::string number = ", expected a position and a number behind a function";
    refused("version: 1\nevents: Ir Dr\n", "2: events: Ir Dr, expected events: Ir");
    refused("version: 2\n", "1: version: 2, expected version: 1");
    refused("fn=(1) f\n10 many\n", "2: 10 many" + number);
    refused("fn=(1) f\n10\n", "2: 10" + number);
    refused("10 5\n", "1: 10 5" + number);
}

TEST_CASE("collect_callgrind: counts are added, subtracted, chosen and renamed") {
    const FunctionCounts a({{5, "f"}, {7, "g"}, {2, "f"}, {0, "nothing"}}), b({{7, "f"}, {1, "h"}});
    CHECK(listed(a) == counts_list{{7, "f"}, {7, "g"}});
    CHECK(a.sum() == 14);
    CHECK(listed(a + b) == counts_list{{14, "f"}, {7, "g"}, {1, "h"}});
    CHECK(listed(a - b) == counts_list{{7, "g"}, {-1, "h"}});
    CHECK(listed(a.filter([](const std::string& f) { return f != "g"; })) == counts_list{{7, "f"}});
    CHECK(listed(a.transform([](const std::string&) { return "all"; })) ==
          counts_list{{14, "all"}});
    CHECK(a[1] == FunctionCount{7, "g"});
    CHECK_THROWS_AS(a[2], IndexError);
    CHECK((a + b).to_string() ==
          "            14  f\n             7  g\n             1  h\n            22  in all");
    CHECK((a + b).to_string(1) ==
          "            14  f\n             8  2 other functions\n            22  in all");
    const CallgrindStats s({.stmt = "x + y"}, 10, FunctionCounts({{1234567, "f"}}), a, 67);
    CHECK(
        s.to_string() ==
        "sinter::benchmark::CallgrindStats\nx + y\n  Instructions: 1,234,567, of one call 123,450\n"
        "  Baseline:     67\n  10 runs, 1 thread");
    CHECK(listed(s.delta(s)).empty());
}

/// A program, for a process of its own: it counts, looks at the numbers, and counts again.
TEST_CASE("counted by callgrind" * doctest::skip()) {
    const Tensor a = rand({16}).eval(), b = rand({16}).eval(), c = rand({16}).eval();
    const Timer one([&] { return a * b; }), three([&] { return a * b + c - a; });
    const CallgrindStats few = one.collect_callgrind(20), again = one.collect_callgrind(20);
    CHECK(few.counts() > 20 * 200);
    CHECK(few.number_per_run() == 20);
    CHECK(few.baseline_counts() > 0);
    CHECK(few.baseline_counts() < 20 * 20);
    const auto apart = [&](const CallgrindStats& x) { return std::abs(x.counts() - few.counts()); };
    CHECK(apart(again) < few.counts() / 20);
    const CallgrindStats more = three.collect_callgrind(20);
    CHECK(more.counts() > few.counts() + 20 * 50);
    CHECK(more.delta(few).sum() == more.counts() - few.counts());
    CHECK(more.stats(true)[0].count >= more.counts());
}

TEST_CASE("collect_callgrind: the program runs again, and counts come out alike" *
          doctest::test_suite("host")) {
    CHECK_ERROR(ValueError, Timer([] {}).collect_callgrind(0),
                "[collect_callgrind] the number of calls is not positive; got 0, expected 1 or "
                "more; try 100, the default");
    if (sanitized()) {
        MESSAGE("[SKIP] under a sanitizer, which would watch what valgrind watches");
        return;
    }
    CHECK(run_again("counted by callgrind", "SINTER_JIT", "off") == 0);
}

/// For a process of its own: what it does depends on who runs it.
TEST_CASE("lost under callgrind" * doctest::skip()) {
    if (std::getenv("SINTER_CALLGRIND")) {
        std::cout << "the other way\n";
        return;
    }
    std::string got;
    try {
        Timer([] {}).collect_callgrind();
    } catch (const Error& e) {
        got = e.what();
    }
    CHECK(
        got.find("[collect_callgrind] the program did not come to this call under valgrind; got") ==
        0);
    CHECK(got.find("the other way") != std::string::npos);
    CHECK(got.find("; try a program without input") != std::string::npos);
}

TEST_CASE("collect_callgrind: a program that does something else when it runs again" *
          doctest::test_suite("host")) {
    if (sanitized()) return;  // said above
    CHECK(run_again("lost under callgrind", "SINTER_JIT", "off") == 0);
    CHECK(run_again("without valgrind", "PATH", "/nowhere") == 0);
}

TEST_CASE("without valgrind" * doctest::skip()) {
    CHECK_ERROR(Error, Timer([] {}).collect_callgrind(),
                "[collect_callgrind] valgrind was not found; got no such program in PATH, expected "
                "valgrind; try apt install valgrind");
}

}  // namespace
}  // namespace sinter::test
