#include "runtime/base/environment.hpp"

#include "tests/runtime/again.hpp"

#include <sinter/error.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace sinter;

namespace {

/// Sets a variable and restores its old value.
class variable {
public:
    variable(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) {
            old_ = old;
            was_set_ = true;
        }
        setenv(name, value, 1);
    }
    ~variable() {
        if (was_set_)
            setenv(name_, old_.c_str(), 1);
        else
            unsetenv(name_);
    }
    variable(const variable&) = delete;
    variable& operator=(const variable&) = delete;

private:
    const char* name_;
    std::string old_;
    bool was_set_ = false;
};

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
     "[SINTER_GPU_POOL] no such choice; got none, expected on or off; try leaving it unset"},
    {"SINTER_PERF_MAP", "yes",
     "[SINTER_PERF_MAP] no such choice; got yes, expected 0 or 1; try leaving it unset"},
    {"SINTER_ISA", "avx2",
     "[SINTER_ISA] no such choice; got avx2, expected best, baseline, v3 or v4; try leaving it "
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

}  // namespace

TEST_CASE("environment: a choice, the first where nothing is said") {
    for (const char* unset : {"", "measured"}) {
        const variable v("SINTER_FUSE", unset);
        CHECK(runtime::environment_choice("SINTER_FUSE") == "measured");
    }
    const variable v("SINTER_FUSE", "apart");
    CHECK(runtime::environment_choice("SINTER_FUSE") == "apart");
    CHECK_THROWS_AS(runtime::environment_choice("SINTER_NO_SUCH"), InternalError);
}

TEST_CASE("environment: a number within its bounds") {
    {
        const variable v("SINTER_MAX_PENDING", "");
        CHECK(runtime::environment_number("SINTER_MAX_PENDING", 7) == 7);
    }
    const variable v("SINTER_MAX_PENDING", "17");
    CHECK(runtime::environment_number("SINTER_MAX_PENDING", 7) == 17);
}

TEST_CASE("environment: what is misspelt is an error that names the choices") {
    for (const misspelt& m : all) {
        CAPTURE(m.name);
        // In a separate process, because this one has already read its environment.
        CHECK(test::run_again("reports: a misspelt environment", m.name, m.value) == 0);
    }
}

TEST_CASE("reports: a misspelt environment" * doctest::skip()) {
    int checked = 0;
    for (const misspelt& m : all) {
        const char* value = std::getenv(m.name);
        if (!value || std::string(value) != m.value) continue;
        ++checked;
        for (int again = 0; again < 2; ++again)
            CHECK_THROWS_WITH_AS(runtime::check_environment(), m.error, ValueError);
        unsetenv(m.name);
        CHECK_NOTHROW(runtime::check_environment());
    }
    CHECK(checked == 1);
}
