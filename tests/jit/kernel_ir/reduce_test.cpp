// The order of reductions, compared with a reference written from its description: lanes by
// remainder, halves, and a tree of chunks built from the top.
#include "tests/seed.hpp"
#include "tests/support/kernel_builder.hpp"
#include "jit/interpret/kernel_call_data.hpp"

#include "jit/interpret/interpret.hpp"
#include "jit/kernel_ir/rows/ir_number.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

using namespace sinter;
using namespace sinter::kernel_ir;
using namespace sinter::kernel_ir::testing;

namespace {

constexpr int64_t L = 32, C = 4096;
constexpr int64_t extents[] = {1, 2, 31, 32, 33, 63, 65, 4095, 4096, 4097, 3 * 4096 + 17, 7 * 4096};

/// Folds all lanes of `x`: lane i takes lane i + h for h = L/2 ... 1.
template <class S, class Combine>
S fold_chunk(const std::vector<S>& x, S identity, Combine combine) {
    std::vector<S> lanes;
    for (int64_t l = 0; l < L; l++) {
        S state = identity;
        for (std::size_t j = static_cast<std::size_t>(l); j < x.size(); j += L) {
            state = combine(state, x[j]);
        }
        lanes.push_back(state);
    }
    while (lanes.size() > 1) {
        const std::size_t half = lanes.size() / 2;
        for (std::size_t i = 0; i < half; i++) lanes[i] = combine(lanes[i], lanes[i + half]);
        lanes.resize(half);
    }
    return lanes[0];
}

/// Puts the largest complete binary tree on the left and the rest, recursively, on the right.
template <class S, class Merge>
S merge_tree(const std::vector<S>& chunks, std::size_t from, std::size_t n, Merge merge) {
    if (n == 1) return chunks[from];
    std::size_t left = 1;
    while (left * 2 < n) left *= 2;
    return merge(merge_tree(chunks, from, left, merge),
                 merge_tree(chunks, from + left, n - left, merge));
}

template <class S>
std::vector<std::vector<S>> in_chunks(const std::vector<S>& x) {
    std::vector<std::vector<S>> chunks;
    for (std::size_t from = 0; from < x.size(); from += C) {
        const std::size_t to = std::min<std::size_t>(from + C, x.size());
        chunks.emplace_back(x.begin() + static_cast<std::ptrdiff_t>(from),
                            x.begin() + static_cast<std::ptrdiff_t>(to));
    }
    return chunks;
}

template <class S, class Combine>
S reference(const std::vector<S>& x, S identity, Combine combine) {
    if (x.empty()) return identity;
    std::vector<S> states;
    for (const std::vector<S>& chunk : in_chunks(x)) {
        states.push_back(fold_chunk(chunk, identity, combine));
    }
    return merge_tree(states, 0, states.size(), combine);
}

template <class T>
struct spread {
    T mean, squares;
    int64_t n;
};

template <class T>
spread<T> reference_moments(const std::vector<T>& x) {
    const auto add = [](T a, T b) { return a + b; };
    std::vector<spread<T>> states;
    for (std::vector<T>& chunk : in_chunks(x)) {
        const T mean = fold_chunk(chunk, T{0}, add) / static_cast<T>(chunk.size());
        const auto n = static_cast<int64_t>(chunk.size());
        for (T& v : chunk) v = (v - mean) * (v - mean);
        states.push_back({mean, fold_chunk(chunk, T{0}, add), n});
    }
    return merge_tree(states, 0, states.size(), [](spread<T> a, spread<T> b) {
        const T na = static_cast<T>(a.n), nb = static_cast<T>(b.n);
        const T delta = b.mean - a.mean, share = nb / (na + nb);
        return spread<T>{a.mean + delta * share,
                         (a.squares + b.squares) + (delta * delta) * (na * share), a.n + b.n};
    });
}

/// Returns the stored bits of a reduction over one row of `bits` in storage type `in`.
uint64_t reduced(op::reduction reduction, ScalarType in, const std::vector<uint64_t>& bits,
                 double correction = 1) {
    kernel_builder b;
    const value_id x = b.load(in);
    value_id k = none;
    if (op::info(reduction).kind == op::reduction_kind::moments) {
        k = b.scalar(in == kDouble ? kDouble : kFloat);
    }
    b.store(b.reduce(reduction, x, k));
    const auto n = static_cast<int64_t>(bits.size());
    kernel_call_data data(b.get(), 1, n, 3);
    for (int64_t j = 0; j < n; j++) data.set_element(0, 0, j, bits[static_cast<std::size_t>(j)]);
    if (k != none) {
        data.scalar(0) =
            in == kDouble ? bits_of(correction) : bits_of(static_cast<float>(correction));
    }
    interpret(b.get(), data.call());
    return data.element(1, 0, 0);
}

template <class T>
std::vector<uint64_t> bits_of_all(const std::vector<T>& x) {
    std::vector<uint64_t> bits;
    for (T v : x) bits.push_back(bits_of(v));
    return bits;
}

/// Numbers whose sums depend on the order.
template <class T>
std::vector<T> draw(int64_t n) {
    std::mt19937_64 random(test::seed() + static_cast<uint64_t>(n));
    std::vector<T> x;
    for (int64_t j = 0; j < n; j++) {
        const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
        x.push_back(
            static_cast<T>((unit - 0.3) * std::ldexp(1.0, static_cast<int>(random() % 12))));
    }
    return x;
}

template <class T>
void check_floats(ScalarType type) {
    for (int64_t n : extents) {
        CAPTURE(n);
        const std::vector<T> x = draw<T>(n);
        const std::vector<uint64_t> bits = bits_of_all(x);
        const T sum = reference(x, T{0}, [](T a, T b) { return a + b; });
        CHECK(reduced(op::reduction::sum, type, bits) == bits_of(sum));
        CHECK(reduced(op::reduction::mean, type, bits) == bits_of(sum / static_cast<T>(n)));
        const T product = reference(x, T{1}, [](T a, T b) { return a * b; });
        CHECK(reduced(op::reduction::prod, type, bits) == bits_of(product));
        const T most = *std::max_element(x.begin(), x.end());
        const T least = *std::min_element(x.begin(), x.end());
        CHECK(reduced(op::reduction::amax, type, bits) == bits_of(most));
        CHECK(reduced(op::reduction::amin, type, bits) == bits_of(least));
        CHECK(reduced(op::reduction::argmax, type, bits) ==
              static_cast<uint64_t>(std::max_element(x.begin(), x.end()) - x.begin()));
        CHECK(reduced(op::reduction::argmin, type, bits) ==
              static_cast<uint64_t>(std::min_element(x.begin(), x.end()) - x.begin()));
        const spread<T> m = reference_moments(x);
        const T var = m.squares / (static_cast<T>(n) - T{0});
        CHECK(reduced(op::reduction::var, type, bits, 0) == bits_of(var));
        CHECK(reduced(op::reduction::std, type, bits, 0) == bits_of(std::sqrt(var)));
        if (n > 1) {
            CHECK(reduced(op::reduction::var, type, bits, 1) ==
                  bits_of(m.squares / (static_cast<T>(n) - T{1})));
        }
    }
}

}  // namespace

TEST_CASE("reduce: f32 in order") { check_floats<float>(kFloat); }
TEST_CASE("reduce: f64 in order") { check_floats<double>(kDouble); }

TEST_CASE("reduce: lanes and not neighbours add up") {
    std::vector<float> x(40, 0.0f);
    x[0] = 1e8f;
    x[1] = 1;
    x[32] = -1e8f;
    float forward = 0;
    for (float v : x) forward += v;
    CHECK(forward == 0);
    CHECK(value_of<float>(reduced(op::reduction::sum, kFloat, bits_of_all(x))) == 1);
}

TEST_CASE("reduce: Half accumulates in f32 and rounds once") {
    std::vector<float> x;
    std::vector<uint64_t> bits;
    for (float v : draw<float>(5000)) {
        const Half h(v);
        x.push_back(h);
        bits.push_back(h.bits);
    }
    const float sum = reference(x, 0.0f, [](float a, float b) { return a + b; });
    CHECK(reduced(op::reduction::sum, kHalf, bits) == Half::from_float(sum));
    CHECK(reduced(op::reduction::mean, kHalf, bits) == Half::from_float(sum / 5000.0f));
    const spread<float> m = reference_moments(x);
    CHECK(reduced(op::reduction::var, kHalf, bits) == Half::from_float(m.squares / 4999.0f));
    CHECK(reduced(op::reduction::amax, kHalf, bits) ==
          Half::from_float(*std::max_element(x.begin(), x.end())));
}

TEST_CASE("reduce: sums of narrow integers and bool are Long, and wrap") {
    const std::vector<uint64_t> bytes(5000, 255);
    CHECK(reduced(op::reduction::sum, kByte, bytes) == 5000 * 255);
    const std::vector<uint64_t> ones(4097, 1);
    CHECK(reduced(op::reduction::sum, kBool, ones) == 4097);
    const std::vector<uint64_t> negative(100, 0xffffffff);
    CHECK(reduced(op::reduction::sum, kInt, negative) == static_cast<uint64_t>(-100));
    const std::vector<uint64_t> large(3, uint64_t{1} << 63);
    CHECK(reduced(op::reduction::sum, kLong, large) == uint64_t{1} << 63);
    const std::vector<uint64_t> twos(64, 2);
    CHECK(reduced(op::reduction::prod, kByte, {3, 100, 200}) == 60000);
    CHECK(reduced(op::reduction::prod, kInt, twos) == 0);
    CHECK(reduced(op::reduction::amax, kByte, {3, 200, 100}) == 200);
    CHECK(reduced(op::reduction::amin, kInt, {3, 0xffffffff, 100}) == 0xffffffff);
}

TEST_CASE("reduce: tests of any type are on != 0") {
    CHECK(reduced(op::reduction::any, kFloat, bits_of_all<float>({0, -0.0f, 0})) == 0);
    CHECK(reduced(op::reduction::any, kFloat, bits_of_all<float>({0, NAN})) == 1);
    CHECK(reduced(op::reduction::all, kLong, {1, 2, uint64_t{1} << 40}) == 1);
    CHECK(reduced(op::reduction::all, kHalf, {0x3c00, 0x8000}) == 0);
    CHECK(reduced(op::reduction::all, kBool, std::vector<uint64_t>(5000, 1)) == 1);
}

TEST_CASE("reduce: NaN wins, the first of equals is the index") {
    std::vector<float> x(9000, 1.0f);
    CHECK(reduced(op::reduction::argmax, kFloat, bits_of_all(x)) == 0);
    CHECK(reduced(op::reduction::argmin, kFloat, bits_of_all(x)) == 0);
    x[40] = x[8000] = x[33] = 2.0f;
    CHECK(reduced(op::reduction::argmax, kFloat, bits_of_all(x)) == 33);
    x[8999] = x[8100] = x[8101] = NAN;
    CHECK(reduced(op::reduction::argmax, kFloat, bits_of_all(x)) == 8100);
    CHECK(reduced(op::reduction::argmin, kFloat, bits_of_all(x)) == 8100);
    CHECK(std::isnan(value_of<float>(reduced(op::reduction::amax, kFloat, bits_of_all(x)))));
    CHECK(std::isnan(value_of<float>(reduced(op::reduction::amin, kFloat, bits_of_all(x)))));
    const std::vector<float> lowest(70, -INFINITY);
    CHECK(reduced(op::reduction::argmax, kFloat, bits_of_all(lowest)) == 0);
    CHECK(reduced(op::reduction::argmax, kInt, {0x80000000, 0x80000000}) == 0);
    CHECK(reduced(op::reduction::argmin, kBool, {1, 1, 0, 0}) == 2);
    CHECK(reduced(op::reduction::argmax, kBool, {0, 0, 1, 1}) == 2);
    // -0 < +0 for values, but they are equal for indices.
    CHECK(reduced(op::reduction::amax, kFloat, bits_of_all<float>({-0.0f, 0.0f})) == 0);
    CHECK(reduced(op::reduction::argmax, kFloat, bits_of_all<float>({-0.0f, 0.0f})) == 0);
}

TEST_CASE("reduce: nothing") {
    CHECK(reduced(op::reduction::sum, kFloat, {}) == bits_of(0.0f));
    CHECK(reduced(op::reduction::prod, kInt, {}) == 1);
    CHECK(reduced(op::reduction::any, kFloat, {}) == 0);
    CHECK(reduced(op::reduction::all, kFloat, {}) == 1);
    CHECK(std::isnan(value_of<double>(reduced(op::reduction::mean, kDouble, {}))));
    CHECK(std::isnan(value_of<double>(reduced(op::reduction::var, kDouble, {}))));
}

TEST_CASE("reduce: stages follow each other in one kernel") {
    kernel_builder b;
    const value_id x = b.load(kDouble);
    const value_id d = b.row(op::sub, kDouble, {x, b.reduce(op::reduction::mean, x)});
    const value_id v = b.reduce(op::reduction::mean, b.row(op::square, kDouble, {d}));
    b.store(b.row(op::div, kDouble, {d, b.row(op::sqrt, kDouble, {v})}));
    kernel_call_data data(b.get(), 2, 5000, 9);
    const std::vector<double> values = draw<double>(10000);
    for (int64_t i = 0; i < 2; i++) {
        for (int64_t j = 0; j < 5000; j++) {
            data.set_element(0, i, j, bits_of(values[static_cast<std::size_t>(i * 5000 + j)]));
        }
    }
    // An input may have one row for all; read back what is there.
    interpret(b.get(), data.call());
    const auto add = [](double p, double q) { return p + q; };
    for (int64_t i = 0; i < 2; i++) {
        std::vector<double> row, squares;
        for (int64_t j = 0; j < 5000; j++) row.push_back(value_of<double>(data.element(0, i, j)));
        const double mean = reference(row, 0.0, add) / 5000;
        for (double& e : row) squares.push_back((e - mean) * (e - mean));
        const double deviation = std::sqrt(reference(squares, 0.0, add) / 5000);
        int wrong = 0;
        for (int64_t j = 0; j < 5000; j++) {
            const double expected = (row[static_cast<std::size_t>(j)] - mean) / deviation;
            wrong += data.element(1, i, j) != bits_of(expected);
        }
        CHECK(wrong == 0);
    }
}
