// Layouts whose kernels transpose tiles, take every second element, or run lanes along rows along
// which no operand is dense: the values equal those of eager mode, bit for bit.
#include "tests/engine/plan/one_kernel.hpp"

using namespace sinter;

namespace {

/// Runs `make()` lazily and in eager mode.
template <class F>
void check_equal(const F& make) {
    const Tensor lazy = Tensor(make()).eval();
    ModeGuard guard(Mode::eager);
    const Tensor eager = Tensor(make()).eval();
    CHECK(lazy.sizes() == eager.sizes());
    CHECK(equal(lazy, eager));
}

}  // namespace

TEST_CASE("layouts: operands that are dense along another dimension") {
    manual_seed(3);
    for (ScalarType type : {kFloat, kDouble, kHalf, kShort, kChar}) {
        CAPTURE(type);
        for (int64_t n : {1, 7, 16, 63, 65, 150}) {
            CAPTURE(n);
            const Tensor x = (randn({n, n}) * 9).to(type), wide = (randn({n, 200}) * 9).to(type);
            check_equal([&] { return x + x.t(); });
            for (int dim : {0, 1})  // a part of a symmetric sum
                check_equal([&] {
                    const int64_t some = (n + 1) / 2;
                    return x.slice(dim, 0, some) - x.t().slice(dim, 0, some);
                });
            check_equal([&] { return wide.t() * 2; });
            check_equal([&] { return x.t() + wide.slice(1, 3, 3 + n).t() * x; });
            check_equal([&] { return wide.slice(1, 0, 200, 3).t() - 1; });
        }
        const Tensor w = (randn({3, 9, 10, 11}) * 9).to(type);
        check_equal([&] { return w.permute({0, 2, 3, 1}) * 2; });
        check_equal([&] { return w.permute({3, 2, 1, 0}) * 2; });
        check_equal([&] { return w.permute({3, 0, 2, 1}) + w.permute({3, 0, 2, 1}); });
        check_equal([&] { return w.permute({2, 3, 1, 0}) * 2; });
    }
    Tensor x = randn({90, 90}), expected = (x.clone().t() + x).clone();
    x.copy_(x.t() + x);
    CHECK(equal(x, expected));
}

TEST_CASE("layouts: what is read across rows beside values of rows, guards and results in place") {
    manual_seed(8);
    for (ScalarType type : {kFloat, kDouble, kHalf, kInt, kLong})
        for (int64_t rows : {9, 16, 31, 70})
            for (int64_t columns : {16, 33, 290}) {
                CAPTURE(type);
                CAPTURE(rows);
                CAPTURE(columns);
                const Tensor x = (randn({columns, rows}) * 9).to(type),
                             y = (randn({rows, columns}) * 9).to(type),
                             of_row = (randn({rows, 1}) * 9).to(type),
                             of_column = (randn({columns}) * 9).to(type);
                check_equal([&] { return x.t() * of_row + of_column; });
                check_equal([&] { return where(x.t() > y, x.t(), of_row * 2); });
                check_equal([&] { return y * x.t() - (x * 2).t() * (x.t() > of_column); });
                check_equal([&] { return x.t() + arange(columns, type); });
                check_equal([&] { return floor_divide(y, x.t().abs() + 1); });
                check_equal([&] { return x.t() + y.to(kDouble); });
                check_equal([&] {
                    Tensor z = y.clone();
                    z.slice(1, 1, columns).add_(x.t().slice(1, 1, columns));
                    return z;
                });
                check_equal(
                    [&] { return x.t() * 2 + y.clamp(-3, 3) * of_row - 1 + y / 2 + y * y; });
                if (!isFloatingType(type)) CHECK_THROWS(floor_divide(y, x.t() * 0).eval());
            }
}

TEST_CASE("layouts: every second element, and every third by the same statement") {
    manual_seed(4);
    for (ScalarType type : {kFloat, kDouble, kHalf, kChar, kBool}) {
        CAPTURE(type);
        const Tensor x = (randn({40, 301}) * 9).to(type);
        for (int64_t step : {2, 3, 2, 1, 4})
            for (int64_t n : {1, 2, 15, 17, 65, 300}) {
                check_equal([&] { return x.slice(1, 0, n, step) * 3; });
                check_equal([&] { return x.slice(0, 0, 40, step).slice(1, 1, n, step) * 3; });
                if (type != kBool) check_equal([&] { return x.slice(1, 0, n, step).sum({1}); });
                const auto filled = [&] {
                    Tensor y = zeros({40, 301}, type);
                    y.slice(1, 0, n, step).copy_(x.slice(1, 0, n, step) * 2);
                    return y;
                };
                check_equal(filled);
            }
    }
}

TEST_CASE("layouts: short rows of operands that repeat run side by side") {
    manual_seed(5);
    for (ScalarType type : {kFloat, kDouble, kHalf, kInt})
        for (int64_t length : {1, 2, 3, 5, 16, 31, 33, 64, 100, 300, 600}) {
            CAPTURE(type);
            CAPTURE(length);
            const Tensor x = (randn({37, length}) * 9).to(type),
                         y = (randn({130, length}) * 9).to(type);
            const auto difference = [&] { return x.unsqueeze(1) - y.unsqueeze(0); };
            check_equal([&] { return difference().pow(2).sum({-1}); });
            check_equal([&] { return difference().amax({-1}); });
            check_equal([&] { return difference().argmin(-1); });
            const Tensor columns = (randn({7 * length, 150}) * 9).to(type);
            check_equal([&] { return columns.sum({0}); });
            check_equal([&] { return columns.argmax(0); });
            if (isFloatingType(type)) check_equal([&] { return columns.var(0); });
        }
}

TEST_CASE("layouts: lanes run along rows of few elements") {
    manual_seed(7);
    for (ScalarType type : {kFloat, kDouble, kHalf, kChar})
        for (int64_t rows : {63, 64, 65, 150})
            for (int64_t length : {1, 2, 3, 4, 7, 8, 9}) {
                CAPTURE(type);
                CAPTURE(rows);
                CAPTURE(length);
                const Tensor wide = (randn({rows, 2 * length}) * 9).to(type);
                const Tensor cube = (randn({3, rows, length}) * 9).to(type);
                for (const Tensor& x :
                     {wide.slice(1, 0, length), wide.slice(1, 0, 2 * length, 2)}) {
                    check_equal([&] { return x.sum({1}); });
                    check_equal([&] { return x - x.amax({1}, true); });
                    check_equal([&] { return x.argmax(1); });
                    if (isFloatingType(type)) check_equal([&] { return x.softmax(1); });
                    if (isFloatingType(type) && length > 1)
                        check_equal(
                            [&] { return (x - x.mean({1}, true)) / x.std({1}, true, true); });
                }
                check_equal([&] { return cube.sum({2}); });
                check_equal([&] { return cube - cube.amin({2}, true); });
            }
    const Tensor x = randn({64, 8}).eval(), y = randn({64, 9}).eval(), z = randn({63, 8}).eval();
    CHECK(explain(x.softmax(1)).find("lanes along rows") != std::string::npos);
    CHECK(explain(y.softmax(1)).find("lanes along rows") == std::string::npos);
    CHECK(explain(z.softmax(1)).find("lanes along rows") == std::string::npos);
}

TEST_CASE("layouts: columns are reduced in vectors side by side") {
    manual_seed(6);
    for (ScalarType type : {kFloat, kDouble, kBFloat16, kByte})
        for (int64_t width : {15, 63, 64, 65, 1000, 1100, 2100})
            for (int64_t length : {2, 70, 4100}) {
                if (width * length > 1100 * 4100) continue;
                CAPTURE(type);
                CAPTURE(width);
                CAPTURE(length);
                const Tensor x = (rand({length, width}) * 200).to(type);
                check_equal([&] { return x.sum({0}); });
                check_equal([&] { return x.amax({0}); });
                check_equal([&] { return x.argmin(0); });
                check_equal([&] { return any(x > 199, 0); });
                const auto both = [&] { return x.sum({0}) + x.amin({0}); };
                check_equal(both);
            }
}

TEST_CASE("layouts: lanes run where fewest operands are gathered") {
    manual_seed(7);
    for (ScalarType type : {kFloat, kDouble, kHalf})
        for (int64_t width : {8, 16, 63, 100})
            for (int64_t length : {1, 31, 33, 100}) {
                CAPTURE(type);
                CAPTURE(width);
                CAPTURE(length);
                const Tensor x = randn({3, length, width}).to(type),
                             mask = (randn({3, length}) > 0).unsqueeze(2),
                             weight = randn({length, 3}).to(type).t().unsqueeze(2);
                check_equal([&] { return (x * mask).sum({1}) / (mask.sum({1}) + 1); });
                check_equal([&] { return where(mask, x, 0).amax({1}); });
                check_equal([&] { return (x * weight).sum({1}); });
                check_equal([&] { return (x.transpose(1, 2) * mask.transpose(1, 2)).sum({2}); });
            }
    const Tensor x = randn({4, 50, 60}).eval(), mask = (randn({4, 50}) > 0).eval();
    CHECK(explain((x * mask.unsqueeze(2)).sum({1})).find("lanes along rows") != std::string::npos);
}

TEST_CASE("layouts: pairwise distances take memory for a copy of an operand and the result") {
    const Tensor x = randn({200, 16}).eval(), y = randn({300, 16}).eval();
    const Tensor d = (x.unsqueeze(1) - y.unsqueeze(0)).pow(2).sum({-1});
    CHECK(kernels_of(d) == 2);
    CHECK(stats().bytes_allocated < 2 * 4 * (200 * 300 + 300 * 16));
}
