// The environment is checked where a program can catch the error.
#include "tests/ops/check.hpp"
#include "tests/runtime/again.hpp"

#include <cstdlib>

using namespace sinter;

// On the host: to name a GPU for all tensors is an operation, and the program's first one.
TEST_CASE("a misspelt environment is an error of the first operation" *
          doctest::test_suite("host")) {
    for (const char* name :
         {"SINTER_MODE", "SINTER_JIT", "SINTER_NUM_THREADS", "SINTER_MAX_PENDING", "SINTER_POOL",
          "SINTER_POOL_MAX_MB", "SINTER_CACHE_SIZE_MB", "SINTER_ISA", "SINTER_RNG", "SINTER_FUSE",
          "SINTER_SPECIALISE"}) {
        CAPTURE(name);
        CHECK(test::run_again("reports: the first operation", name, "nonsense") == 0);
    }
}

TEST_CASE("reports: the first operation" * doctest::skip()) {
    const auto run = [] { return (ones({3}) + 1).sum().item<float>(); };
    std::string what, name;
    try {
        run();
    } catch (const ValueError& e) {
        what = e.what();
    }
    CHECK(what.find("; got nonsense, expected ") != std::string::npos);
    name = what.substr(1, what.find(']') - 1);
    CHECK_THROWS_AS(run(), ValueError);  // the error repeats
    unsetenv(name.c_str());
    CHECK(run() == 6);  // the library continues after the variable is fixed
}
