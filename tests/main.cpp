// The main function of every test program. It prints the seed that replays the run, and keeps the
// kernel cache of the tests apart from the user's.
#define DOCTEST_CONFIG_IMPLEMENT
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace sinter::test {

uint64_t seed() {
    static const uint64_t value = [] {
        const char* text = std::getenv("SINTER_TEST_SEED");
        return text && *text ? std::strtoull(text, nullptr, 0) : uint64_t{20240229};
    }();
    return value;
}

namespace {

bool asked_for_long() {
    const char* text = std::getenv("SINTER_TEST_LONG");
    return text && *text && std::strcmp(text, "0") != 0;
}

}  // namespace

bool long_run() { return asked_for_long() && !sanitized(); }

bool exhaustive() { return long_run() && std::strcmp(std::getenv("SINTER_TEST_LONG"), "all") == 0; }

bool sanitized() {
#ifdef SINTER_SANITIZED
    return true;
#else
    return false;
#endif
}

int cases(int usual, int longer) {
    if (exhaustive()) return 10 * usual * longer;
    if (long_run()) return usual * longer;
    return sanitized() && !asked_for_long() ? (usual + 3) / 4 : usual;
}

namespace {

/// The variables of a test run, and a cache folder, removed at the end, unless the environment
/// names one. They are set before any static tensor of a test: the library reads its variables
/// once.
class run_environment {
public:
    run_environment() {
#ifdef SINTER_SANITIZED
        setenv("SINTER_POOL", "off", 0);  // a memory pool would hide uses after free
#endif
        setenv("SINTER_JIT", "wait", 0);  // counts must not depend on when a thread runs
        // Tests of the CPU must not depend on whether the machine has a GPU; other tests name a
        // driver.
        setenv("SINTER_CUDA_LIBRARY", "none", 0);
        setenv("SINTER_HIP_LIBRARY", "none", 0);
        if (std::getenv("SINTER_CACHE_DIR")) return;
        std::string path = (std::filesystem::temp_directory_path() / "sinter-test-XXXXXX").string();
        if (!mkdtemp(path.data())) return;
        path_ = path;
        setenv("SINTER_CACHE_DIR", path_.c_str(), 1);
    }
    ~run_environment() {
        std::error_code ignored;
        if (!path_.empty() && getpid() == owner_) std::filesystem::remove_all(path_, ignored);
    }
    run_environment(const run_environment&) = delete;
    run_environment& operator=(const run_environment&) = delete;

private:
    std::string path_;
    pid_t owner_ = getpid();
};

[[gnu::init_priority(102)]] run_environment variables;  // 101: mode.cpp of some folders

}  // namespace
}  // namespace sinter::test

#ifdef SINTER_SANITIZE_ADDRESS
/// Suppresses leaks of clang's OpenMP, which keeps data for its threads until the process ends.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() { return "leak:libomp.so"; }
#endif

int main(int argc, char** argv) {
    std::cout << "seed " << sinter::test::seed() << " (SINTER_TEST_SEED replays it)\n";
    std::vector<const char*> arguments(argv, argv + argc);
    // An argument that leaves out what other entries of CTest run in another way.
    if (const char* shorter = std::getenv("SINTER_TEST_SHORTER");
        shorter && !sinter::test::asked_for_long()) {
        arguments.push_back(shorter);
        std::cout << "[SKIP] left to long runs (SINTER_TEST_LONG=1): what " << shorter
                  << " leaves out\n";
    }
    doctest::Context context(static_cast<int>(arguments.size()), arguments.data());
    return context.run();
}
