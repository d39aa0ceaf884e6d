// Random programs compared with PyTorch's results (programs.py): in both modes, evaluated as they
// say and at each line, cold and warm, and with few pending operations.
#include "tests/support/again.hpp"
#include "tests/background/held.hpp"
#include "tests/golden/program.hpp"
#include "tests/seed.hpp"
#include "tests/support/fork.hpp"

#include "engine/run/lower.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <iostream>
#include <set>
#include <sstream>

using namespace sinter;
using namespace sinter::golden;

namespace {

const std::vector<recorded_program>& programs() {
    static const std::vector<recorded_program> all = [] {
        const char* elsewhere = std::getenv("SINTER_TEST_GOLDENS");
        return read_programs(std::string(elsewhere ? elsewhere : SINTER_GOLDENS) + "/programs.txt");
    }();
    return all;
}

/// Runs every `every`-th program, or the one that SINTER_TEST_PROGRAM names. Returns how many
/// differ.
int differing(const program_run& how, const char* what, int every = 1) {
    const char* one = std::getenv("SINTER_TEST_PROGRAM");
    int count = 0;
    for (const recorded_program& p : programs()) {
        if (one ? p.number != std::atoll(one) : p.number % every != 0) continue;
        const std::string wrong = run(p, how);
        if (wrong.empty()) continue;
        if (++count > 20 && !test::long_run()) continue;
        std::cout << "program " << p.number << " " << what << ", programs.txt:" << wrong << "\n";
    }
    if (count > 0)
        std::cout << count << " programs differ " << what << "; SINTER_TEST_PROGRAM runs one, "
                  << "programs.py show NUMBER prints PyTorch's values\n";
    return count;
}

}  // namespace

// Programs write through pointers into main memory.
TEST_SUITE_BEGIN("host");

TEST_CASE("programs use every statement, and there are 2000") {
    std::set<std::string> used;
    for (const recorded_program& p : programs())
        for (const std::string& s : p.statements) {
            std::istringstream in(s);
            std::vector<std::string> words;
            for (std::string w; in >> w;) words.push_back(w);
            used.insert(words.size() > 1 && words[1] == "=" ? words.at(2)
                                                            : words.at(words[0] == "!" ? 1 : 0));
        }
    CHECK(programs().size() == 2000);
    for (const std::string& name : statement_names()) {
        CAPTURE(name);
        CHECK(used.count(name) == 1);
    }
}

TEST_CASE("programs give PyTorch's values eagerly") {
    CHECK(differing({Mode::eager, false}, "eagerly") == 0);
}

// A second run finds the state of the first one: kernels, plans, and the known kernels of single
// operations.
TEST_CASE("programs that are evaluated at each line give PyTorch's values, cold and warm") {
    const int every = test::long_run() ? 1 : test::sanitized() ? 16 : 5;
    CHECK(differing({Mode::lazy, true}, "line by line, cold", every) == 0);
    CHECK(differing({Mode::lazy, true}, "line by line, warm", every) == 0);
}

TEST_CASE("programs give PyTorch's values lazily with compiled kernels") {
    const int every = test::long_run() ? 1 : test::sanitized() ? 64 : 12;
    CHECK(differing({Mode::lazy, false}, "lazily, cold", every) == 0);
    CHECK(differing({Mode::lazy, false}, "lazily, warm", every) == 0);
}

TEST_CASE("child: lazy programs whose kernels are never compiled" * doctest::skip()) {
    const test::held_compiler held;
    const char* bound = std::getenv("SINTER_MAX_PENDING");
    const std::string what = std::string("lazily, bound ") + (bound ? bound : "none");
    const int every = test::sanitized() ? 8 : 1;
    const int different = differing({Mode::lazy, false}, what.c_str(), every);
    std::cout << std::flush;
    _exit(different == 0 ? 0 : 1);
}

TEST_CASE("programs give PyTorch's values lazily, whatever may be pending") {
    if (default_executor() == plan::executor::blocks) return;  // no kernels in this build
    for (const char* bound : {"", "1", "3", "17"}) {
        CAPTURE(bound);
        CHECK(test::status_of_child([&] {
                  setenv("SINTER_JIT", "background", 1);
                  if (*bound) setenv("SINTER_MAX_PENDING", bound, 1);
                  return test::become_cases("child: lazy programs*");
              }) == 0);
    }
}

TEST_SUITE_END();
