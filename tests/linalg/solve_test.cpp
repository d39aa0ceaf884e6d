// The solver kernel: residuals in f64, layouts, batches, singular matrices.
#include "kernels/linalg/solve.hpp"

#include "runtime/threads.hpp"
#include "tests/linalg/product_case.hpp"
#include "tests/seed.hpp"

#include <sinter/error.hpp>
#include <sinter/threads.hpp>

#include <doctest/doctest.h>

using namespace sinter;
using namespace sinter::test;

namespace {

/// |a x - b| / (|a| |x| + |b|) over all rows, the largest.
template <class T>
double residual(array<T>& a, array<T>& b, const std::vector<T>& x) {
    const int nb = a.shape->ndim - 2;
    const int64_t n = a.shape->sizes()[nb], k = b.shape->sizes()[nb + 1];
    const int64_t batches = b.shape->numel / std::max<int64_t>(1, n * k);
    double worst = 0;
    for (int64_t i = 0; i < batches; ++i)
        for (int64_t c = 0; c < k; ++c) {
            double size_a = 0, size_x = 0, error = 0, size_b = 0;
            for (int64_t r = 0; r < n; ++r) {
                double sum = 0, row = 0;
                for (int64_t p = 0; p < n; ++p) {
                    const double y = x[static_cast<std::size_t>((i * n + p) * k + c)];
                    sum += double(a.at(i, r, p)) * y;
                    row += std::fabs(double(a.at(i, r, p)));
                    size_x = std::max(size_x, std::fabs(y));
                }
                size_a = std::max(size_a, row);
                size_b = std::max(size_b, std::fabs(double(b.at(i, r, c))));
                error = std::max(error, std::fabs(sum - double(b.at(i, r, c))));
            }
            worst = std::max(worst, error / (size_a * size_x + size_b));
            if (!(error < 1e300)) return 1e300;
        }
    return worst;
}

template <class T>
std::vector<T> run_solve(const array<T>& a, const array<T>& b) {
    std::vector<T> x(static_cast<std::size_t>(b.shape->numel) + 1, T(-7));
    blas::solve(a.input(), b.input(), reinterpret_cast<char*>(x.data()));
    CHECK(x.back() == T(-7));
    x.pop_back();
    return x;
}

}  // namespace

TEST_CASE_TEMPLATE("solutions satisfy their systems", T, float, double) {
    std::mt19937_64 random(seed());
    const double eps = sizeof(T) == 8 ? 0x1p-52 : 0x1p-23;
    for (int64_t n : {1, 2, 5, 33, 300})
        for (int64_t k : {1, 4})
            for (arrangement l : all_layouts)
                for (bool repeat : {false, true}) {
                    if (n == 300 && (l != arrangement::columns || k == 1)) continue;
                    array<T> a = make_array<T>(l, {3}, n, n, repeat);
                    array<T> b = make_array<T>(arrangement::sliced_rows, {3}, n, k);
                    fill(a, random);
                    fill(b, random);
                    CAPTURE(n);
                    CAPTURE(static_cast<int>(l));
                    CHECK(residual(a, b, run_solve(a, b)) <= static_cast<double>(n) * eps);
                }
}

TEST_CASE("the right side may be any layout, and a system may have none") {
    std::mt19937_64 random(seed() + 1);
    for (arrangement l : all_layouts) {
        array<double> a = make_array<double>(arrangement::rows, {}, 6, 6);
        array<double> b = make_array<double>(l, {}, 6, 3);
        fill(a, random);
        fill(b, random);
        CHECK(residual(a, b, run_solve(a, b)) <= 6 * 0x1p-52);
    }
    for (auto [n, k] : {std::pair<int64_t, int64_t>{0, 2}, {3, 0}, {0, 0}}) {
        array<double> a = make_array<double>(arrangement::rows, {2}, n, n);
        array<double> b = make_array<double>(arrangement::rows, {2}, n, k);
        a.memory.resize(32);
        b.memory.resize(32);
        CHECK(run_solve(a, b).empty());
    }
}

TEST_CASE("the operands keep their values") {
    std::mt19937_64 random(seed() + 2);
    array<double> a = make_array<double>(arrangement::columns, {}, 4, 4);
    array<double> b = make_array<double>(arrangement::columns, {}, 4, 1);
    fill(a, random);
    fill(b, random);
    const auto before_a = a.memory, before_b = b.memory;
    run_solve(a, b);
    CHECK(same_bits(before_a, a.memory));
    CHECK(same_bits(before_b, b.memory));
}

TEST_CASE("a singular matrix is an error, the first of a batch is named") {
    array<double> a = make_array<double>(arrangement::rows, {}, 3, 3);
    array<double> b = make_array<double>(arrangement::rows, {}, 3, 1);
    a.memory = {1, 2, 3, 2, 4, 6, 0, 0, 1};
    b.memory = {1, 1, 1};
    double x[3];
    CHECK_THROWS_WITH_AS(
        blas::solve(a.input(), b.input(), reinterpret_cast<char*>(x)),
        "[linalg_solve] the matrix is singular; got a zero pivot at 1, expected a regular matrix; "
        "try adding a small multiple of eye(n)",
        LinAlgError);

    const int before = get_num_threads();
    for (int threads : {1, 2, 3, 7}) {
        set_num_threads(threads);
        array<double> many = make_array<double>(arrangement::rows, {20000}, 2, 2);
        array<double> right = make_array<double>(arrangement::rows, {20000}, 2, 1, true);
        for (int64_t i = 0; i < 20000; ++i) {
            many.at(i, 0, 0) = many.at(i, 1, 1) = 2;
            many.at(i, 0, 1) = many.at(i, 1, 0) = i % 7000 == 6999 ? 2 : 1;
        }
        std::vector<double> out(40000);
        CHECK_THROWS_WITH_AS(
            blas::solve(many.input(), right.input(), reinterpret_cast<char*>(out.data())),
            "[linalg_solve] the matrix is singular; got a zero pivot at 1 of matrix 6999, expected "
            "a regular matrix; try adding a small multiple of eye(n)",
            LinAlgError);
    }
    set_num_threads(before);
}
