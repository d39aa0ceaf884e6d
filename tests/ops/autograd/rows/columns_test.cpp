// Derivatives of rows at special values, beside PyTorch's.
#include "ops/autograd/rows/columns.hpp"
#include "ops/autograd/rows/transform.hpp"
#include "tests/support/run_rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace sinter;
using autograd::column_kind;
using autograd::row_program;

namespace {

op::id row_named(const std::string& name) {
    for (int r = 0; r < op::count; ++r)
        if (name == op::info(static_cast<op::id>(r)).name) return static_cast<op::id>(r);
    FAIL("no row " << name);
    return op::count;
}

std::vector<std::string> words_of(std::istream& in) {
    std::vector<std::string> all;
    for (std::string word; in >> word;) all.push_back(word);
    return all;
}
double number(const std::string& word) { return std::strtod(word.c_str(), nullptr); }

/// Returns all tuples of the values, the last operand's fastest, one array for each operand.
std::vector<std::vector<double>> product(const std::vector<double>& values, std::size_t operands) {
    std::size_t count = 1;
    for (std::size_t k = 0; k < operands; ++k) count *= values.size();
    std::vector<std::vector<double>> inputs(operands, std::vector<double>(count));
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = operands, rest = i; k-- > 0; rest /= values.size())
            inputs[k][i] = values[rest % values.size()];
    return inputs;
}

/// Returns the gradient of an operand for each element of the inputs.
std::vector<double> gradients(op::id row, int operand, std::vector<std::vector<double>> inputs,
                              double gradient) {
    const auto count = inputs[0].size();
    if (autograd::column_of(row, operand).kind == column_kind::zero)
        return std::vector<double>(count);
    row_program p(static_cast<int>(inputs.size()));
    p.outputs = {p.apply(row, 0, inputs.size() > 1 ? 1 : autograd::no_value,
                         inputs.size() > 2 ? 2 : autograd::no_value)};
    bool wanted[3] = {};
    wanted[operand] = true;
    const row_program derived = autograd::vjp(p, std::span(wanted, inputs.size()));
    inputs.emplace_back(count, gradient);
    return testing::run_rows(derived, derived.outputs[0], inputs);
}

bool close(double got, double expected) {
    if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
    if (std::isinf(expected) || std::isinf(got)) return got == expected;
    return std::fabs(got - expected) <= 1e-7 * std::max(std::fabs(expected), 1e-3);
}

}  // namespace

TEST_CASE("derivatives of rows at special values are PyTorch's" * doctest::test_suite("host")) {
    std::ifstream in(SINTER_DERIVATIVES);
    REQUIRE(in);
    std::vector<double> values[4];
    int lines = 0, compared = 0;
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        std::string name;
        std::size_t operand = 0;
        words >> name >> operand;
        if (name == "values") {
            for (const std::string& word : words_of(words)) values[operand].push_back(number(word));
            continue;
        }
        std::string gradient;
        words >> gradient;
        const op::id row = row_named(name);
        const auto arity = static_cast<std::size_t>(op::info(row).arity);
        const std::vector<std::vector<double>> inputs = product(values[arity], arity);
        const std::vector<double> got =
            gradients(row, static_cast<int>(operand), inputs, number(gradient));
        const std::vector<std::string> expected = words_of(words);
        REQUIRE(got.size() == expected.size());
        ++lines;
        for (std::size_t i = 0; i < got.size(); ++i) {
            if (expected[i] == "-") continue;
            ++compared;
            if (close(got[i], number(expected[i]))) continue;
            std::string at;
            for (const std::vector<double>& x : inputs) at += " " + std::to_string(x[i]);
            FAIL_CHECK(name << " in operand " << operand << " times " << gradient << " at" << at
                            << ": " << got[i] << ", PyTorch " << expected[i]);
        }
    }
    CHECK(lines > 150);
    CHECK(compared > 8000);
}
