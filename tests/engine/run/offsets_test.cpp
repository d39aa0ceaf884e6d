// Statements that differ only in where their operands begin have one plan, and each run reads and
// writes where its own operands are.
#include "tests/seed.hpp"

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace sinter;
using namespace sinter::indexing;

namespace {

constexpr int64_t matrix_rows = 40, matrix_columns = 24;

Tensor table() {
    return arange(matrix_rows * matrix_columns, kDouble).view({matrix_rows, matrix_columns}).eval();
}

double at(int64_t row, int64_t column) {
    return static_cast<double>(row * matrix_columns + column);
}

template <class F>
uint64_t plans_of(const F& f) {
    reset_stats();
    f();
    return stats().plans_built;
}

}  // namespace

TEST_CASE("offsets: a plan for all rows") {
    const Tensor t = table();
    const auto sums = [&] {
        for (int64_t i = 0; i < matrix_rows; ++i)
            CHECK((t.select(0, i) * 2 + 1).sum().item<double>() ==
                  2 * (at(i, 0) + at(i, matrix_columns - 1)) / 2 * matrix_columns + matrix_columns);
    };
    sums();
    CHECK(plans_of(sums) == 0);
    Tensor other = table();
    const auto of_two = [&](int64_t i, int64_t j) {
        return (t[i] - other[j] * t[j]).sum().item<double>();
    };
    const auto expected = [&](int64_t i, int64_t j) {
        double sum = 0;
        for (int64_t c = 0; c < matrix_columns; ++c) sum += at(i, c) - at(j, c) * at(j, c);
        return sum;
    };
    of_two(3, 5);
    // As far apart: the same plan. Others, and the same row twice: other plans.
    CHECK(plans_of([&] { CHECK(of_two(7, 9) == expected(7, 9)); }) == 0);
    CHECK(plans_of([&] { CHECK(of_two(9, 7) == expected(9, 7)); }) == 1);
    CHECK(plans_of([&] { CHECK(of_two(4, 4) == expected(4, 4)); }) == 1);
    CHECK(plans_of([&] { CHECK(of_two(31, 31) == expected(31, 31)); }) == 0);
}

TEST_CASE("offsets: writes of parts") {
    Tensor t = table();
    std::vector<std::vector<double>> expected(matrix_rows, std::vector<double>(matrix_columns));
    for (int64_t r = 0; r < matrix_rows; ++r)
        for (int64_t c = 0; c < matrix_columns; ++c)
            expected[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)] = at(r, c);
    std::mt19937_64 random(test::seed());
    for (int n = 0; n < test::cases(300); ++n) {
        const auto i = random() % matrix_rows, j = random() % matrix_rows, from = random() % 6;
        const auto shift = static_cast<std::size_t>(random() % 3);
        const auto row = static_cast<int64_t>(i), other = static_cast<int64_t>(j);
        const Slice part(static_cast<int64_t>(from), static_cast<int64_t>(from + 10));
        const Slice moved(static_cast<int64_t>(from + shift),
                          static_cast<int64_t>(from + shift + 10));
        const Tensor kept = n % 5 == 0 ? t[other] * 2 : Tensor();
        const std::vector<double> before = expected[j];
        t.index_put_({row, part}, t.index({other, moved}) * 0.5 + t.index({row, part}));
        std::vector<double> written(10);
        for (std::size_t c = 0; c < 10; ++c)
            written[c] = expected[j][from + shift + c] * 0.5 + expected[i][from + c];
        std::copy(written.begin(), written.end(),
                  expected[i].begin() + static_cast<std::ptrdiff_t>(from));
        if (n % 3 == 0) {
            const int64_t c = static_cast<int64_t>(random() % matrix_columns);
            CHECK(t[row][c].item<double>() == expected[i][static_cast<std::size_t>(c)]);
        }
        if (kept.defined())
            for (std::size_t c = 0; c < matrix_columns; ++c)
                CHECK(kept[static_cast<int64_t>(c)].item<double>() == 2 * before[c]);
    }
    for (int64_t r = 0; r < matrix_rows; ++r)
        for (int64_t c = 0; c < matrix_columns; ++c)
            CHECK(t[r][c].item<double>() ==
                  expected[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)]);
}

TEST_CASE("offsets: the result takes the memory of an operand only where that begins") {
    for (int64_t i = 0; i < 4; ++i) {
        Tensor x = arange(48, kFloat);
        Tensor part = x.narrow(0, i, 12).eval();
        x = Tensor();
        const Tensor y = (part * 2 + part.flip(0)).eval();
        part = Tensor();
        for (int64_t k = 0; k < 12; ++k)
            CHECK(y[k].item<float>() == static_cast<float>(2 * (i + k) + i + 11 - k));
    }
}

TEST_CASE("offsets: indices and random draws") {
    const auto ramp = [](int64_t from) {
        return (arange(from, from + 20) * 3).sum().item<int64_t>();
    };
    CHECK(ramp(5) == 3 * 290);
    for (int64_t from = 0; from < 30; ++from) CHECK(ramp(from) == 3 * (20 * from + 190));
    const auto draws = [](int from, int to) {
        std::vector<double> all;
        for (int i = from; i < to; ++i)
            all.push_back((randn({33}) * 2 - rand({33})).sum(kDouble).item<double>());
        return all;
    };
    manual_seed(11);
    const std::vector<double> first = draws(0, 20);
    manual_seed(11);
    std::vector<double> again;
    CHECK(plans_of([&] { again = draws(0, 20); }) == 0);
    CHECK(again == first);
    manual_seed(11);
    const ModeGuard guard(Mode::eager);
    CHECK(draws(0, 20) == first);
}

TEST_CASE("offsets: complex values and values read as another dtype") {
    const Tensor z = complex(table(), table() * 0.5).eval();
    const Tensor bits = table().to(kFloat).view({matrix_rows, matrix_columns}).eval();
    for (int64_t i = 0; i < matrix_rows; ++i) {
        const sinter::complex<double> sum = (z[i] * 2).sum().item<sinter::complex<double>>();
        double expected = 0;
        for (int64_t c = 0; c < matrix_columns; ++c) expected += 2 * at(i, c);
        CHECK(sum.real() == expected);
        CHECK(sum.imag() == expected / 2);
        CHECK((real(z[i]) + imag(z[i])).sum().item<double>() == expected * 0.75);
        const Tensor as_int = bits[i].view(kInt) + 0;
        CHECK(as_int.view(kFloat).sum(kDouble).item<double>() == expected / 2);
    }
}
