#include "runtime/base/environment.hpp"

#include "runtime/base/device.hpp"
#include "tests/runtime/again.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

using namespace sinter;
using runtime::environment;

// A process reads its environment once: each test that needs another one runs in a process of its
// own.
namespace {

struct misspelt {
    const char *name, *value, *error;
};
constexpr misspelt all[] = {
    {"SINTER_MODE", "eger",
     "[SINTER_MODE] no such choice; got eger, expected lazy or eager; try leaving it unset"},
    {"SINTER_JIT", "of",
     "[SINTER_JIT] no such choice; got of, expected background, wait, off or interpret; try "
     "leaving it unset"},
    {"SINTER_JIT_PRIORITY", "high",
     "[SINTER_JIT_PRIORITY] no such choice; got high, expected low or normal; try leaving it "
     "unset"},
    {"SINTER_FUSE", "Fused",
     "[SINTER_FUSE] no such choice; got Fused, expected measured, fused or apart; try leaving it "
     "unset"},
    {"SINTER_SPECIALISE", "on",
     "[SINTER_SPECIALISE] no such choice; got on, expected measured or off; try leaving it unset"},
    {"SINTER_GRAPHS", "1",
     "[SINTER_GRAPHS] no such choice; got 1, expected measured, on or off; try leaving it unset"},
    {"SINTER_RNG", "mersenne",
     "[SINTER_RNG] no such choice; got mersenne, expected philox or mt19937; try leaving it unset"},
    {"SINTER_POOL", "none",
     "[SINTER_POOL] no such choice; got none, expected on, off, 1 or 0; try leaving it unset"},
    {"SINTER_GPU_POOL", "none",
     "[SINTER_GPU_POOL] no such choice; got none, expected on, off, 1 or 0; try leaving it unset"},
    {"SINTER_PERF_MAP", "yes",
     "[SINTER_PERF_MAP] no such choice; got yes, expected on, off, 1 or 0; try leaving it unset"},
    {"SINTER_ISA", "avx2",
     "[SINTER_ISA] no such choice; got avx2, expected best, baseline, v3 or v4; try leaving it "
     "unset"},
    {"SINTER_LAUNCH_BLOCKING", "yes",
     "[SINTER_LAUNCH_BLOCKING] no such choice; got yes, expected on, off, 1 or 0; try leaving it "
     "unset"},
    {"SINTER_NUM_THREADS", "abc",
     "[SINTER_NUM_THREADS] not such a number; got abc, expected a whole number from 1 to "
     "2147483647; try leaving it unset"},
    {"SINTER_NUM_THREADS", "0",
     "[SINTER_NUM_THREADS] not such a number; got 0, expected a whole number from 1 to "
     "2147483647; try leaving it unset"},
    {"SINTER_MAX_PENDING", "-1",
     "[SINTER_MAX_PENDING] not such a number; got -1, expected a whole number from 1 to "
     "9223372036854775807; try leaving it unset"},
    {"SINTER_MAX_PENDING_MB", "2G",
     "[SINTER_MAX_PENDING_MB] not such a number; got 2G, expected a whole number from 1 to "
     "1099511627776; try leaving it unset"},
    {"SINTER_POOL_MAX_MB", "1e3",
     "[SINTER_POOL_MAX_MB] not such a number; got 1e3, expected a whole number from 0 to "
     "1099511627776; try leaving it unset"},
    {"SINTER_CACHE_SIZE_MB", " 5",
     "[SINTER_CACHE_SIZE_MB] not such a number; got  5, expected a whole number from 0 to "
     "1099511627776; try leaving it unset"},
    {"SINTER_TRACE_MAX_MB", "99999999999999999999",
     "[SINTER_TRACE_MAX_MB] not such a number; got 99999999999999999999, expected a whole number "
     "from 1 to 1099511627776; try leaving it unset"},
};

/// A value, and what the settings are with it.
struct valid {
    const char *name, *value;
    bool (*holds)(const runtime::settings&);
};
constexpr valid values[] = {
    {"SINTER_MODE", "eager", [](auto& s) { return s.mode == runtime::mode_choice::eager; }},
    {"SINTER_MODE", "lazy", [](auto& s) { return s.mode == runtime::mode_choice::lazy; }},
    {"SINTER_JIT", "interpret", [](auto& s) { return s.jit == runtime::jit_choice::interpret; }},
    {"SINTER_FUSE", "fused", [](auto& s) { return s.fuse == runtime::fuse_choice::fused; }},
    {"SINTER_FUSE", "apart", [](auto& s) { return s.fuse == runtime::fuse_choice::apart; }},
    {"SINTER_POOL", "on", [](auto& s) { return s.pool; }},
    {"SINTER_POOL", "off", [](auto& s) { return !s.pool; }},
    {"SINTER_POOL", "0", [](auto& s) { return !s.pool; }},
    {"SINTER_PERF_MAP", "1", [](auto& s) { return s.perf_map; }},
    {"SINTER_MAX_PENDING", "17", [](auto& s) { return s.max_pending == 17; }},
    {"SINTER_POOL_MAX_MB", "0", [](auto& s) { return s.pool_max_mb == 0; }},
    {"SINTER_CACHE", "require", [](auto& s) { return s.cache == runtime::cache_choice::require; }},
    {"SINTER_CACHE_ACCEPT", "exact",
     [](auto& s) { return s.cache_accept == runtime::cache_accept_choice::exact; }},
    {"SINTER_CACHE_LAYERS", "/a:/b", [](auto& s) { return s.cache_layers == "/a:/b"; }},
    {"SINTER_CACHE_DIR", "", [](auto& s) { return s.cache_dir.empty(); }},
    {"HIP_LAUNCH_BLOCKING", "7", [](auto& s) { return s.hip_launch_blocking == "7"; }},
};

const runtime::variable& row(const std::string& name) {
    for (const runtime::variable& v : environment().all)
        if (v.name == name) return v;
    throw InternalError("no variable " + name);
}

/// Returns true if this process was started with `value`, by one of the tests.
bool is_set(const char* name, const std::string& value) {
    const char* text = std::getenv(name);
    return text && text == value;
}

}  // namespace

TEST_CASE("environment: a field for each variable") {
    for (const valid& v : values) {
        CAPTURE(v.name);
        CAPTURE(v.value);
        CHECK(test::run_again("reads: a value", v.name, v.value) == 0);
    }
}

TEST_CASE("reads: a value" * doctest::skip()) {
    int checked = 0;
    for (const valid& v : values) {
        if (!is_set(v.name, v.value) || row(v.name).value != v.value) continue;
        checked += row(v.name).set;
        if (row(v.name).set) CHECK(v.holds(environment()));
    }
    CHECK(checked > 0);
}

TEST_CASE("environment: the defaults") {
    CHECK(test::run_again("reads: defaults", "SINTER_FUSE", "") == 0);
}

TEST_CASE("reads: defaults" * doctest::skip()) {
    for (const char* name : {"SINTER_CACHE_DIR", "SINTER_JIT", "SINTER_POOL", "XDG_CACHE_HOME"})
        unsetenv(name);
    setenv("HOME", "/home/someone", 1);
    setenv("SINTER_MAX_PENDING", "", 1);
    const runtime::settings& s = environment();
    CHECK(s.jit == runtime::jit_choice::background);
    CHECK(s.fuse == runtime::fuse_choice::measured);
    CHECK_FALSE(row("SINTER_FUSE").set);
    CHECK(row("SINTER_FUSE").value == "measured");
    CHECK(s.pool);
    CHECK(s.max_pending == 131072);
    CHECK_FALSE(row("SINTER_MAX_PENDING").set);
    CHECK(s.max_pending_mb == static_cast<int64_t>(runtime::memory_bytes() >> 22));
    CHECK(s.cache_dir == "/home/someone/.cache/sinter");
    CHECK_FALSE(row("SINTER_CACHE_DIR").set);
    CHECK(row("HOME").set);
}

TEST_CASE("environment: the folder of caches") {
    CHECK(test::run_again("reads: the folder of caches", "XDG_CACHE_HOME", "/caches") == 0);
    CHECK(test::run_again("reads: no folder of caches", "XDG_CACHE_HOME", "caches") == 0);
}

TEST_CASE("reads: the folder of caches" * doctest::skip()) {
    unsetenv("SINTER_CACHE_DIR");
    CHECK(environment().cache_dir == "/caches/sinter");
}

TEST_CASE("reads: no folder of caches" * doctest::skip()) {
    unsetenv("SINTER_CACHE_DIR");
    unsetenv("HOME");
    CHECK(environment().cache_dir.empty());  // a relative path is none
}

TEST_CASE("environment: read once, by all threads") {
    CHECK(test::run_again("reads: once", "SINTER_MAX_PENDING", "17") == 0);
}

TEST_CASE("reads: once" * doctest::skip()) {
    std::vector<const runtime::settings*> seen(8);
    std::vector<std::thread> threads;
    for (const runtime::settings*& s : seen) threads.emplace_back([&s] { s = &environment(); });
    for (std::thread& t : threads) t.join();
    setenv("SINTER_MAX_PENDING", "nonsense", 1);
    for (const runtime::settings* s : seen) CHECK(s == &environment());
    CHECK(environment().max_pending == 17);
}

TEST_CASE("environment: the names that records of libraries point to") {
    CHECK(runtime::name_of(&runtime::settings::cublas_library) ==
          std::string("SINTER_CUBLAS_LIBRARY"));
    CHECK(runtime::name_of(&runtime::settings::hip_launch_blocking) ==
          std::string("HIP_LAUNCH_BLOCKING"));
}

TEST_CASE("environment: what is misspelt is an error that names the choices") {
    for (const misspelt& m : all) {
        CAPTURE(m.name);
        CHECK(test::run_again("reports: a misspelt environment", m.name, m.value) == 0);
    }
}

TEST_CASE("reports: a misspelt environment" * doctest::skip()) {
    int checked = 0;
    for (const misspelt& m : all) {
        if (!is_set(m.name, m.value)) continue;
        ++checked;
        for (int again = 0; again < 2; ++again)
            CHECK_THROWS_WITH_AS(environment(), m.error, ValueError);
        unsetenv(m.name);
        CHECK_NOTHROW(environment());
        CHECK_FALSE(row(m.name).set);
    }
    CHECK(checked == 1);
}

TEST_CASE("environment: a level that the CPU lacks is an error") {
    if (runtime::cpu_has_v4()) {
        MESSAGE("[SKIP] this CPU has every level");
        return;
    }
    CHECK(test::run_again("reports: a level that the CPU lacks", "SINTER_ISA", "v4") == 0);
}

TEST_CASE("reports: a level that the CPU lacks" * doctest::skip()) {
    const std::string error =
        std::string("[SINTER_ISA] this CPU lacks the level; got v4, expected at most ") +
        runtime::cpu_level() + "; try leaving it unset";
    CHECK_THROWS_WITH_AS(environment(), error.c_str(), ValueError);
    setenv("SINTER_ISA", "baseline", 1);
    CHECK(environment().isa == runtime::isa_choice::baseline);
}

TEST_CASE("environment: a variable of another library is there while a function runs") {
    constexpr const char* name = "SINTER_TEST_OF_A_LIBRARY";
    char** const before = environ;
    REQUIRE_FALSE(runtime::is_set(name));
    runtime::with_variable(name, "some value", [&] {
        REQUIRE(runtime::is_set(name));
        CHECK(std::string(std::getenv(name)) == "some value");
        CHECK(std::getenv("PATH") != nullptr);
    });
    CHECK_FALSE(runtime::is_set(name));
    CHECK_THROWS_AS(runtime::with_variable(name, "", [] { throw ValueError("stopped"); }),
                    ValueError);
    CHECK(environ == before);
    // What is set meanwhile stays.
    runtime::with_variable(name, "", [] { setenv("SINTER_TEST_SET_MEANWHILE", "1", 1); });
    CHECK(runtime::is_set("SINTER_TEST_SET_MEANWHILE"));
    unsetenv("SINTER_TEST_SET_MEANWHILE");
    unsetenv(name);
}
