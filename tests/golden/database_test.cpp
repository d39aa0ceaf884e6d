// PyTorch's operator database (database.py): each call in each form that PyTorch has of it,
// eagerly, lazily block by block, and some with compiled kernels.
#include "tests/support/again.hpp"
#include "tests/background/held.hpp"
#include "tests/golden/compare.hpp"
#include "tests/golden/database.hpp"
#include "tests/seed.hpp"
#include "tests/support/fork.hpp"

#include "engine/run/lower.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <set>
#include <sstream>

using namespace sinter;
using namespace sinter::golden;

namespace {

struct line {
    int number = 0;
    std::string letters;  // the forms
    std::string text;     // the call without the forms
};

struct database {
    std::vector<line> lines;
    std::set<std::string> missing;  // forms that Sinter lacks: "add.Tensor i"
};

const database& recorded() {
    static const database all = [] {
        database d;
        const char* elsewhere = std::getenv("SINTER_TEST_GOLDENS");
        std::ifstream in(std::string(elsewhere ? elsewhere : SINTER_GOLDENS) + "/database.txt");
        REQUIRE(in);
        int number = 0;
        for (std::string text; std::getline(in, text);) {
            ++number;
            if (text.empty() || text[0] == '#') continue;
            std::istringstream words(text);
            std::string key, letters, letter;
            words >> key >> letters;
            if (key == "missing") {
                words >> letter;
                d.missing.insert(letters + " " + letter);
                continue;
            }
            d.lines.push_back(
                {number, letters, key + text.substr(key.size() + 1 + letters.size())});
        }
        return d;
    }();
    return all;
}

form form_of(const overload& o, char letter) {
    switch (letter) {
        case 'f': return o.function;
        case 'm': return o.method;
        case 'o': return o.out;
        default: return o.in_place;
    }
}

/// Returns what is wrong with a call in one form, or an empty text; "missing" if there is no such
/// form.
std::string outcome(golden_call& c, const overload& o, char letter) {
    c.args.prepare();
    std::vector<Tensor> outs;
    for (const expected_tensor& e : c.results) outs.push_back(empty({0}, e.dtype));
    const database_arguments a(c.args, std::move(outs));
    const bool refused = !c.error.empty() || letter == 'I';
    try {
        const form f = form_of(o, letter);
        const std::optional<results> got = f ? f(a) : std::nullopt;
        if (!got) return "missing";
        for (const Tensor& t : *got) t.eval();
        if (refused) return "did not throw, expected " + (c.error.empty() ? "Error" : c.error);
        if (got->size() != c.results.size())
            return std::to_string(got->size()) + " results, expected " +
                   std::to_string(c.results.size());
        for (std::size_t i = 0; i < got->size(); ++i) {
            const bool views = letter == 'f' || letter == 'm';
            const std::string d = difference((*got)[i], c.results[i], c, {}, views);
            if (!d.empty()) return "result " + std::to_string(i) + ": " + d;
        }
    } catch (const Error& e) {
        if (!refused) return std::string("threw ") + e.what();
        if (!c.error.empty()) return wrong_error(e, c.error);
    }
    return {};
}

/// Returns how many calls differ in the thread's mode. Makes every `every`-th call.
int differing(const char* what, int every) {
    int count = 0, at = 0;
    std::set<std::string> missing;
    for (const line& l : recorded().lines) {
        if (++at % every != 0) continue;
        golden_call c = parse(l.text);
        const auto found = overloads().find(c.name);
        REQUIRE_MESSAGE(found != overloads().end(), "no overload " << c.name);
        for (const char letter : l.letters) {
            const std::string wrong = outcome(c, found->second, letter);
            const std::string name = c.name + " " + (letter == 'I' ? 'i' : letter);
            if (wrong == "missing") missing.insert(name);
            if (wrong.empty() || (wrong == "missing" && recorded().missing.count(name))) continue;
            if (++count > 40 && !test::long_run()) continue;
            std::cout << "database.txt:" << l.number << " " << what << ", form " << letter << ": "
                      << c.args.written(c.name) << "\n  " << wrong << "\n";
        }
    }
    if (every == 1)
        for (const std::string& name : recorded().missing)
            if (!missing.count(name))
                std::cout << "there is a form now that database_rules.py says is missing: " << name
                          << "\n";
    return count;
}

}  // namespace

// On a GPU each call would be a kernel to compile. The other files are tested there.
TEST_SUITE_BEGIN("host");

TEST_CASE("PyTorch's operator database, eagerly") {
    const ModeGuard guard(Mode::eager);
    CHECK(differing("eagerly", test::sanitized() ? 5 : 1) == 0);
    CHECK(recorded().lines.size() >= 4000);
}

TEST_CASE("PyTorch's operator database, lazily with compiled kernels") {
    CHECK(differing("lazily", test::long_run() ? 1 : 61) == 0);
}

TEST_CASE("child: the operator database whose kernels are never compiled" * doctest::skip()) {
    const test::held_compiler held;
    const int different = differing("lazily, by blocks", test::sanitized() ? 7 : 1);
    std::cout << std::flush;
    _exit(different == 0 ? 0 : 1);
}

TEST_CASE("PyTorch's operator database, lazily by blocks") {
    if (default_executor() == plan::executor::blocks) return;  // no kernels in this build
    CHECK(test::status_of_child([&] {
              setenv("SINTER_JIT", "background", 1);
              return test::become_cases("child: the operator database*");
          }) == 0);
}

TEST_SUITE_END();
