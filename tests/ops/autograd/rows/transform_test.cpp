// Derivatives of programs of several rows, in both directions.
#include "ops/autograd/rows/transform.hpp"

#include "ops/autograd/rows/columns.hpp"
#include "tests/ops/check.hpp"
#include "tests/seed.hpp"
#include "tests/support/run_rows.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

using namespace sinter;
using autograd::no_value;
using autograd::row_program;
using autograd::value;

namespace {

constexpr bool both[] = {true, true};

/// Rows that have derivatives everywhere.
constexpr op::id smooth1[] = {op::sin, op::tanh,     op::sigmoid, op::exp_fma, op::atan,
                              op::erf, op::softplus, op::neg,     op::square,  op::asinh};
constexpr op::id smooth2[] = {op::add, op::sub, op::mul, op::rsub, op::logaddexp};

/// Makes a program of random rows of two inputs, each of which has uses and is used again.
row_program random_program(std::mt19937_64& random, int rows) {
    row_program p(2);
    p.number(0.75);
    for (int i = 0; i < rows; ++i) {
        const auto any = [&] { return static_cast<value>(random() % p.values().size()); };
        if (random() % 2 == 0) {
            const op::id row = smooth1[random() % std::size(smooth1)];
            const value x = p.apply(op::tanh, any());  // within the range of exponents
            p.apply(row, x, row == op::exp_fma ? any() : no_value,
                    row == op::exp_fma ? x : no_value);
        } else {
            p.apply(op::tanh, p.apply(smooth2[random() % std::size(smooth2)], any(), any()));
        }
    }
    const auto last = static_cast<value>(p.values().size()) - 1;
    p.outputs = {last, last / 2};
    return p;
}

using arrays = std::vector<std::vector<double>>;

std::vector<double> output_of(const row_program& p, value output, const arrays& inputs) {
    if (output == no_value) return std::vector<double>(inputs[0].size());
    return testing::run_rows(p, output, inputs);
}

arrays numbers(std::mt19937_64& random, std::size_t count, std::size_t n) {
    arrays all(count, std::vector<double>(n));
    for (auto& a : all)
        for (double& x : a) x = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;
    return all;
}

arrays joined(arrays a, const arrays& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

}  // namespace

TEST_SUITE_BEGIN("host");

TEST_CASE("autograd: forward and reverse derivatives of random programs are adjoint") {
    std::mt19937_64 random(test::seed());
    for (int i = 0; i < 60; ++i) {
        CAPTURE(i);
        const row_program p = random_program(random, 1 + i % 12);
        const row_program forward = autograd::jvp(p, both), reverse = autograd::vjp(p, both);
        const arrays at = numbers(random, 2, 5), u = numbers(random, 2, 5),
                     v = numbers(random, 2, 5);
        double left[5] = {}, right[5] = {}, size[5] = {};
        for (std::size_t k = 0; k < 2; ++k) {
            const auto tangent = output_of(forward, forward.outputs[k], joined(at, u));
            const auto gradient = output_of(reverse, reverse.outputs[k], joined(at, v));
            for (std::size_t n = 0; n < 5; ++n) {
                left[n] += tangent[n] * v[k][n];
                right[n] += gradient[n] * u[k][n];
                size[n] += std::fabs(tangent[n] * v[k][n]) + std::fabs(gradient[n] * u[k][n]);
            }
        }
        for (int n = 0; n < 5; ++n) CHECK(std::fabs(left[n] - right[n]) <= 1e-12 * (1 + size[n]));
    }
}

TEST_CASE("autograd: derivatives of random programs, and theirs, are central differences") {
    std::mt19937_64 random(test::seed() + 1);
    constexpr double h = 1e-5;
    for (int i = 0; i < 40; ++i) {
        CAPTURE(i);
        row_program p = random_program(random, 1 + i % 8);
        for (const bool twice : {false, true}) {
            // The second time, of the gradient of the first output.
            if (twice) {
                row_program first = autograd::vjp(p, std::span(both).first(1));
                if (first.outputs[0] == no_value) continue;
                p = std::move(first);
            }
            const auto inputs = static_cast<std::size_t>(p.inputs());
            arrays at = numbers(random, inputs, 4);
            bool wanted[4] = {true};
            const row_program d = autograd::jvp(p, std::span(wanted, inputs));
            const std::vector<double> got =
                output_of(d, d.outputs[0], joined(at, {std::vector<double>(4, 1.0)}));
            arrays more = at, less = at;
            for (double& x : more[0]) x += h;
            for (double& x : less[0]) x -= h;
            const auto high = output_of(p, p.outputs[0], more),
                       low = output_of(p, p.outputs[0], less);
            for (std::size_t n = 0; n < 4; ++n) {
                const double expected = (high[n] - low[n]) / (2 * h);
                CHECK(std::fabs(got[n] - expected) <= 1e-6 * (1 + std::fabs(expected)));
            }
        }
    }
}

TEST_CASE("autograd: equal values are one, and what is not needed is not derived") {
    row_program p(2);
    const value product = p.apply(op::mul, 0, 1);
    CHECK(p.apply(op::mul, 0, 1) == product);
    CHECK(p.number(2) == p.number(2));
    CHECK(p.number(0.0) != p.number(-0.0));
    p.outputs = {product, p.apply(op::floor, 0), p.apply(op::lt, 0, 1)};
    const bool first[] = {true, false};
    const row_program reverse = autograd::vjp(p, first);
    CHECK(reverse.inputs() == 5);
    CHECK(reverse.outputs.size() == 1);
    CHECK(testing::run_rows<double>(reverse, reverse.outputs[0], {{3}, {5}, {7}, {11}, {13}}) ==
          std::vector<double>{35});
    const row_program forward = autograd::jvp(p, first);
    CHECK(forward.inputs() == 3);
    CHECK(forward.outputs[1] == no_value);
    CHECK(forward.outputs[2] == no_value);
}

TEST_CASE("autograd: what is not chosen gets 0, also of an infinite gradient") {
    row_program p(1);
    const value positive = p.apply(op::gt, 0, p.number(0));
    const value twice = p.apply(op::mul, 0, p.number(2));
    p.outputs = {p.apply(op::where, positive, 0, twice)};
    const bool wanted[] = {true};
    const row_program reverse = autograd::vjp(p, wanted);
    // A product with a mask would be NaN.
    CHECK(testing::run_rows<double>(reverse, reverse.outputs[0], {{-1, 1}, {INFINITY, INFINITY}}) ==
          std::vector<double>{INFINITY, INFINITY});
    CHECK(testing::run_rows<double>(reverse, reverse.outputs[0], {{-1, 1}, {1, 1}}) ==
          std::vector<double>{2, 1});
}

TEST_CASE("autograd: a row without a derivative says so") {
    row_program p(2);
    p.outputs = {p.apply(op::airy_ai, p.apply(op::exp, 0))};
    CHECK_ERROR(NotImplementedError, autograd::vjp(p, both),
                "[airy_ai] the derivative for 'airy_ai' is not implemented; got PyTorch has none "
                "either, expected a function with a derivative; try detach() on what it is "
                "computed from");
    const bool other[] = {false, true};
    CHECK(autograd::vjp(p, other).outputs[0] == no_value);
}

TEST_SUITE_END();
