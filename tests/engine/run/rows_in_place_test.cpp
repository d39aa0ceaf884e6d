// Writes into a part of a storage while something else reads its elements: they take memory of the
// part's size, not a copy of the storage, and readers of old elements get the old elements.
#include "tests/support/compiler.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <functional>

using namespace sinter;

namespace {

constexpr int64_t rows = 64, columns = 512;
constexpr int64_t row_bytes = columns * 4;

using program = std::function<std::vector<Tensor>(const Tensor&)>;

/// Runs a program over a matrix pending and in eager mode, and compares all that it returns, and
/// the matrix. Checks that the pending run needs no copy of the matrix.
void check(const Tensor& start, const program& of) {
    std::vector<Tensor> expected;
    const Tensor last = start.clone().eval();
    {
        const ModeGuard eager(Mode::eager);
        expected = of(last);
    }
    for (const bool eval : {true, false}) {
        CAPTURE(eval);
        const ModeGuard lazy(Mode::lazy);
        const Tensor x = start.clone().eval();
        reset_stats();
        const int64_t before = stats().bytes_live;
        std::vector<Tensor> found = of(x);
        if (eval) x.eval();
        for (Tensor& t : found) t.eval();
        x.eval();
        const int64_t kept = static_cast<int64_t>(found.size()) * row_bytes;
        CHECK(stats().bytes_peak - before <= kept + 24 * row_bytes);
        CHECK(x.equal(last));
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) CHECK(found[i].equal(expected[i]));
    }
}

Tensor matrix(ScalarType dtype) {
    return (arange(rows * columns, kLong).remainder(91) + 1).to(dtype).view({rows, columns}).eval();
}

}  // namespace

TEST_CASE("rows in place: the new elements of a row depend on old ones elsewhere in it") {
    const Tensor x = matrix(kFloat);
    check(x, [](const Tensor& t) {
        for (int64_t i = 0; i < 8; ++i) {
            const Tensor row = t[i];
            row.slice(0, 1).copy_(row.slice(0, 0, -1) * 1.5);
        }
        return std::vector<Tensor>{};
    });
    check(x, [](const Tensor& t) {
        for (int64_t i = 0; i < 8; ++i) t[i].copy_(t[i].flip(0) + t[i]);
        return std::vector<Tensor>{};
    });
    check(x, [](const Tensor& t) {
        for (int64_t i = 0; i < 8; ++i) t[i].sub_(t[i].mean());
        return std::vector<Tensor>{};
    });
    check(x, [](const Tensor& t) {
        for (int64_t i = 0; i < 8; ++i) t[i].copy_(t[i].softmax(0));
        return std::vector<Tensor>{};
    });
    check(x, [](const Tensor& t) {
        for (int64_t i = 0; i < 8; ++i)
            t.select(1, i).copy_(t.select(1, i + 1) * 0.5 + t.select(1, i).flip(0));
        return std::vector<Tensor>{};
    });
}

TEST_CASE("rows in place: two rows change places") {
    check(matrix(kFloat), [](const Tensor& t) {
        for (int64_t i = 0; i < 8; ++i) {
            const Tensor kept = t[i].clone();
            t[i].copy_(t[rows - 1 - i]);
            t[rows - 1 - i].copy_(kept);
        }
        return std::vector<Tensor>{};
    });
}

TEST_CASE("rows in place: pending readers of old elements get them") {
    const Tensor x = matrix(kFloat);
    check(x, [](const Tensor& t) {
        std::vector<Tensor> old;
        for (int64_t i = 0; i < 8; ++i) {
            old.push_back(t[i] * 2);
            t[i].zero_();
        }
        return old;
    });
    // The value that is written is held as well.
    check(x, [](const Tensor& t) {
        std::vector<Tensor> old;
        for (int64_t i = 0; i < 8; ++i) {
            old.push_back(t[i] * 2);
            t[i + 1].copy_(old.back());
        }
        return old;
    });
    // What is wanted of a large value is small.
    check(x, [](const Tensor& t) {
        std::vector<Tensor> old;
        for (int64_t i = 0; i < 8; ++i) {
            old.push_back((t * 2).sum());
            t[i].zero_();
        }
        return old;
    });
    // The readers depend on writes into another storage.
    check(x, [](const Tensor& t) {
        std::vector<Tensor> old;
        const Tensor other = ones({8, columns});
        for (int64_t i = 0; i < 8; ++i) {
            other[i].mul_(t[i]);
            old.push_back(other[i] + t[i]);
            t[i].add_(1);
        }
        return old;
    });
}

TEST_CASE("rows in place: readers of far more than the storage are left pending") {
    const Tensor x = ones({100}).eval(), y = ones({1000, 1}).eval();
    const Tensor table = y * x;
    x[0].zero_();
    reset_stats();
    const int64_t before = stats().bytes_live;
    x.eval();
    CHECK(stats().bytes_peak - before < 100000);
    CHECK(table.sum().item<float>() == 100000);
}

TEST_CASE("rows in place: quotients of integers, which may fail") {
    const Tensor x = matrix(kInt);
    check(x, [](const Tensor& t) {
        for (int64_t i = 0; i < 8; ++i) t[i].copy_(t[i].floor_divide(t[i + 1]));
        return std::vector<Tensor>{};
    });
    const Tensor y = x.clone().eval();
    const Tensor zeros_too = x[1] - x[1][3];
    CHECK_THROWS_WITH_AS(y[0].floor_divide_(zeros_too).eval(),
                         doctest::Contains("ZeroDivisionError"), Error);
}
