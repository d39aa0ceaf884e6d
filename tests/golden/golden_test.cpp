// Reference values from PyTorch (generate.py): each line of the files is a call, made lazily and
// eagerly. Dtype, sizes, elements and the class of an error must equal PyTorch's.
#include "tests/golden/compare.hpp"
#include "tests/golden/table.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <utility>

using namespace sinter;
using namespace sinter::golden;

namespace sinter::golden {

const function_table& functions() {
    static const function_table table = [] {
        function_table t;
        add_rows(t);
        add_reductions(t);
        add_shapes(t);
        add_creation(t);
        add_indexing(t);
        add_ordering(t);
        add_parameters(t);
        add_complex(t);
        add_products(t);
        add_linalg(t);
        add_random(t);
        add_special(t);
        add_neural(t);
        return t;
    }();
    return table;
}

namespace {

std::string outcome(golden_call& c, const entry& f) {
    c.args.prepare();
    try {
        const results got = f.call(c.args);
        // A GPU's indices and divisors are known to be wrong when the value is read.
        for (const Tensor& t : got)
            if (t.is_cuda() && !c.error.empty())
                t.cpu();
            else
                t.eval();
        // A GPU's elimination may leave a rounding error where LAPACK's leaves a pivot of 0.
        const bool rounded = c.error == "LinAlgError" && !got.empty() && got[0].is_cuda();
        if (rounded) return {};
        if (!c.error.empty()) return "did not throw, expected " + c.error;
        if (got.size() != c.results.size())
            return std::to_string(got.size()) + " results, expected " +
                   std::to_string(c.results.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            const std::string d = difference(got[i], c.results[i], c, f);
            if (!d.empty()) return "result " + std::to_string(i) + ": " + d;
        }
    } catch (const Error& e) {
        if (c.error.empty()) return std::string("threw ") + e.what();
        return wrong_error(e, c.error);
    }
    return {};
}

/// SINTER_TEST_PART=2/7 makes only the calls whose number is 2 modulo 7, if each needs a separate
/// kernel. A long run makes all, and so does a file whose calls need few kernels.
bool left_out(int call) {
    static const auto [part, parts] = [] {
        int k = 0, n = 1;
        if (const char* text = std::getenv("SINTER_TEST_PART"); text && !test::long_run())
            REQUIRE(std::sscanf(text, "%d/%d", &k, &n) == 2);
        return std::pair(k, n);
    }();
    return call % parts != part;
}

void check_file(const std::string& name, int least, bool in_parts = true) {
    const char* elsewhere = std::getenv("SINTER_TEST_GOLDENS");
    std::ifstream in(std::string(elsewhere ? elsewhere : SINTER_GOLDENS) + "/" + name);
    REQUIRE_MESSAGE(in, "cannot open " << name);
    int calls = 0, line_number = 0;
    for (std::string line; std::getline(in, line);) {
        ++line_number;
        if (line.empty() || line[0] == '#') continue;
        golden_call c = parse(line);
        const auto found = functions().find(c.name);
        if (found == functions().end()) {
            FAIL_CHECK(name << ":" << line_number << ": no way to call " << c.name);
            continue;
        }
        ++calls;
        if (in_parts && left_out(calls)) continue;
        for (Mode mode : {Mode::lazy, Mode::eager}) {
            // Each new combination is compiled, so lazily only every 37th is made, or all in a long
            // run.
            if (mode == Mode::lazy && !test::long_run() && calls % 37 != 0) continue;
            ModeGuard guard(mode);
            const std::string wrong = outcome(c, found->second);
            if (wrong.empty()) continue;
            const std::string place = name + ":" + std::to_string(line_number) +
                                      (mode == Mode::lazy ? " lazy: " : " eager: ");
            FAIL_CHECK(place << c.args.written(c.name) << "\n  " << wrong);
        }
    }
    CHECK(calls >= least);
}

}  // namespace
}  // namespace sinter::golden

TEST_CASE("operands are made as in generate.py") { check_file("operands.txt", 100); }
TEST_CASE("element operations of one operand") { check_file("unary.txt", 500); }
TEST_CASE("element operations of two operands") { check_file("binary.txt", 2000); }
TEST_CASE("conversions") { check_file("casts.txt", 100); }
TEST_CASE("reductions and products") { check_file("reductions.txt", 500); }
TEST_CASE("shapes and views") { check_file("shapes.txt", 500); }
TEST_CASE("creation") { check_file("creation.txt", 100); }
TEST_CASE("compositions, scans, sorts and sets") { check_file("ordering.txt", 500); }
TEST_CASE("element operations with parameters") { check_file("parameters.txt", 200); }
TEST_CASE("complex numbers") { check_file("complex.txt", 800); }
TEST_CASE("indexing") { check_file("indexing.txt", 500); }
TEST_CASE("products") { check_file("products.txt", 500); }
TEST_CASE("linear algebra") { check_file("linalg.txt", 1000, false); }
TEST_CASE("random draws") { check_file("random.txt", 200); }
TEST_CASE("special functions of two operands, and windows, sizes, distances") {
    check_file("special.txt", 800);
}
TEST_CASE("neural: functions of nn::functional") { check_file("neural.txt", 800); }
