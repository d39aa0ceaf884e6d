#include "jit/launch/merge_states.hpp"

#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/kernel_ir/schedule.hpp"
#include "tests/seed.hpp"

#include <sinter/error.hpp>
#include <sinter/op/op.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace sinter;
using kernel_ir::mtype;
using runtime::chunk_states;
using runtime::merge_states;

namespace {

template <class T>
uint64_t word(T x) {
    uint64_t w = 0;
    std::memcpy(&w, &x, sizeof x);
    return w;
}
template <class T>
T as(uint64_t w) {
    T x;
    std::memcpy(&x, &w, sizeof x);
    return x;
}

constexpr uint16_t row(op::reduction r) { return static_cast<uint16_t>(r); }

chunk_states make(op::reduction r, mtype acc, ScalarType result, const std::vector<uint64_t>& words,
                  int64_t stride, int64_t n, uint64_t parameter = 0) {
    return {row(r), acc, result, words.data(), stride, n, parameter};
}

/// The tree of reduce_order.hpp in another formulation: the left half is the largest power of two
/// below the number of chunks.
template <class S, class F>
S tree(const std::vector<S>& leaves, std::size_t begin, std::size_t count, F&& merge) {
    if (count == 1) return leaves[begin];
    std::size_t left = std::bit_floor(count - 1);
    S a = tree(leaves, begin, left, merge);
    S b = tree(leaves, begin + left, count - left, merge);
    return merge(a, b);
}

}  // namespace

TEST_CASE("merge_states: sums follow the tree, for any number of chunks") {
    std::mt19937_64 random(test::seed());
    std::normal_distribution<float> normal(0, 1e3f);
    for (int64_t chunks = 1; chunks <= 70; ++chunks) {
        std::vector<float> leaves;
        std::vector<uint64_t> words;
        for (int64_t c = 0; c < chunks; ++c) {
            leaves.push_back(normal(random));
            words.push_back(0xdeadbeef);  // another reduction's state
            words.push_back(word(leaves.back()));
        }
        words.erase(words.begin());
        words.push_back(0);
        int64_t n = (chunks - 1) * kernel_ir::reduce_chunk + 1;
        float expected = tree(leaves, 0, leaves.size(), [](float a, float b) { return a + b; });
        float sum =
            as<float>(merge_states(make(op::reduction::sum, mtype::f32, kFloat, words, 2, n)));
        CHECK(word(sum) == word(expected));
        float mean =
            as<float>(merge_states(make(op::reduction::mean, mtype::f32, kFloat, words, 2, n)));
        CHECK(word(mean) == word(expected / static_cast<float>(n)));
    }
}

TEST_CASE("merge_states: every fold in every accumulator it has") {
    const int64_t n = 2 * kernel_ir::reduce_chunk;
    auto two = [&](op::reduction r, mtype acc, ScalarType t, uint64_t a, uint64_t b) {
        return merge_states(make(r, acc, t, {a, b}, 1, n));
    };
    using op::reduction;
    CHECK(two(reduction::sum, mtype::i64, kLong, word(INT64_MAX), word(int64_t{1})) ==
          word(INT64_MIN));
    CHECK(two(reduction::sum, mtype::f64, kDouble, word(0.1), word(0.2)) == word(0.1 + 0.2));
    CHECK(two(reduction::prod, mtype::i64, kLong, word(int64_t{-3}), word(int64_t{5})) ==
          word(int64_t{-15}));
    CHECK(two(reduction::prod, mtype::f32, kFloat, word(3.0f), word(0.5f)) == word(1.5f));
    CHECK(two(reduction::amax, mtype::u8, kByte, 200, 100) == 200);
    CHECK(two(reduction::amax, mtype::i32, kInt, word(-5), word(-7)) == word(-5));
    CHECK(two(reduction::amin, mtype::f32, kFloat, word(0.0f), word(-0.0f)) == word(-0.0f));
    CHECK(two(reduction::amax, mtype::f32, kFloat, word(-0.0f), word(0.0f)) == word(0.0f));
    CHECK(std::isnan(
        as<double>(two(reduction::amax, mtype::f64, kDouble, word(1.0), word(std::nan(""))))));
    CHECK(two(reduction::amax, mtype::b1, kBool, 0, 1) == 1);
    CHECK(two(reduction::amin, mtype::b1, kBool, 0, 1) == 0);
    CHECK(two(reduction::any, mtype::b1, kBool, 0, 1) == 1);
    CHECK(two(reduction::any, mtype::b1, kBool, 0, 0) == 0);
    CHECK(two(reduction::all, mtype::b1, kBool, 1, 0) == 0);
    CHECK(two(reduction::all, mtype::b1, kBool, 1, 1) == 1);
}

TEST_CASE("merge_states: halves are summed in float and rounded once") {
    const int64_t n = 2 * kernel_ir::reduce_chunk;
    uint64_t sum = merge_states(
        make(op::reduction::sum, mtype::f32, kHalf, {word(2048.0f), word(1.5f)}, 1, n));
    CHECK(as<float>(sum) == 2050.0f);  // 2049.5 lies between 2048 and 2050
    uint64_t exact = merge_states(
        make(op::reduction::sum, mtype::f32, kFloat, {word(2048.0f), word(1.5f)}, 1, n));
    CHECK(as<float>(exact) == 2049.5f);
    uint64_t too_large = merge_states(
        make(op::reduction::sum, mtype::f32, kHalf, {word(60000.0f), word(60000.0f)}, 1, n));
    CHECK(as<float>(too_large) == std::numeric_limits<float>::infinity());
}

TEST_CASE("merge_states: the first index of the best, and NaN is best") {
    const int64_t n = 3 * kernel_ir::reduce_chunk;
    float nan = std::nanf("");
    auto best = [&](op::reduction r, float a, float b, float c) {
        return merge_states(
            make(r, mtype::f32, kLong, {word(a), 7, word(b), 5000, word(c), 9000}, 2, n));
    };
    using op::reduction;
    CHECK(best(reduction::argmax, 1, 3, 3) == 5000);
    CHECK(best(reduction::argmax, 3, 3, 1) == 7);
    CHECK(best(reduction::argmax, 1, 2, nan) == 9000);
    CHECK(best(reduction::argmax, nan, 2, nan) == 7);
    CHECK(best(reduction::argmin, 1, 0, 0) == 5000);
    CHECK(best(reduction::argmin, 1, nan, -9) == 5000);
    CHECK(best(reduction::argmax, -0.0f, 0.0f, 0.0f) == 7);
}

TEST_CASE("merge_states: moments of chunks become those of the row") {
    std::mt19937_64 random(test::seed());
    std::normal_distribution<double> normal(1e3, 2.0);
    for (int64_t n : {1, 5, 4096, 4097, 20000, 65536, 100001}) {
        std::vector<double> x;
        for (int64_t i = 0; i < n; ++i) x.push_back(normal(random));
        long double mean = 0, squares = 0;
        for (double v : x) mean += v;
        mean /= static_cast<long double>(n);
        for (double v : x) squares += (v - mean) * (v - mean);
        std::vector<uint64_t> words;
        for (int64_t c = 0; c < kernel_ir::chunk_count(n); ++c) {
            int64_t b = c * kernel_ir::reduce_chunk, e = std::min(n, b + kernel_ir::reduce_chunk);
            double m = 0, s = 0;
            for (int64_t i = b; i < e; ++i) m += x[static_cast<std::size_t>(i)];
            m /= static_cast<double>(e - b);
            for (int64_t i = b; i < e; ++i) {
                double d = x[static_cast<std::size_t>(i)] - m;
                s += d * d;
            }
            words.push_back(word(m));
            words.push_back(word(s));
        }
        double k = n > 1 ? 1.0 : 0.0;
        double var = as<double>(
            merge_states(make(op::reduction::var, mtype::f64, kDouble, words, 2, n, word(k))));
        double std = as<double>(
            merge_states(make(op::reduction::std, mtype::f64, kDouble, words, 2, n, word(k))));
        auto expected = static_cast<double>(squares / (static_cast<long double>(n) - k));
        CAPTURE(n);
        CHECK(var == doctest::Approx(expected).epsilon(1e-11));
        CHECK(std == std::sqrt(var));
    }
}

TEST_CASE("merge_states: a type that the reduction does not work in is a bug") {
    CHECK_THROWS_AS((void)merge_states(make(op::reduction::sum, mtype::i32, kInt, {1}, 1, 1)),
                    InternalError);
    CHECK_THROWS_AS((void)merge_states(make(op::reduction::count, mtype::i32, kInt, {1}, 1, 1)),
                    InternalError);
}
