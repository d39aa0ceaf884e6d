// LU and Cholesky factors of small matrices against the definition, at each level: residuals,
// pivots of partial pivoting, and what fails.
#include "tests/jit/simd/small_batch.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace sinter;
using namespace sinter::block;
using namespace sinter::test;

/// a x of matrix k, or its transpose's.
template <class T>
double product(const batch<T>& a, const batch<T>& x, int k, int i, int j, bool transposed) {
    double sum = 0;
    for (int m = 0; m < a.rows; ++m)
        sum += (transposed ? a.get(k, m, i) : a.get(k, i, m)) * x.get(k, m, j);
    return sum;
}

template <class T>
double unit(int n) {
    return 40.0 * n * std::numeric_limits<T>::epsilon();
}

template <class T>
void compare_lu(std::mt19937_64& random) {
    const small_factor_fns& f = factor_functions<T>();
    const int n = static_cast<int>(random() % small_matrix) + 1,
              count = static_cast<int>(random() % static_cast<uint64_t>(f.lanes)) + 1,
              columns = static_cast<int>(random() % 11) + 1;
    const bool transposed = random() % 2;
    CAPTURE(n);
    CAPTURE(count);
    CAPTURE(columns);
    batch<T> a(random, n, n, count), b(random, n, columns, count);
    // Pivots must be searched for: exact zeros on the diagonal.
    for (int k = 0; k < count; ++k)
        if (n > 1 && random() % 2) a.at(k, 0, 0) = 0;
    batch<T> lu = a, x = b, inverse = a;
    integers pivots(n, count), info(1, count);
    f.lu(lu.template items<void*>().data(), lu.ld, n, pivots.items.data(), info.items.data(),
         count);
    CHECK(lu.gaps_are_untouched());
    for (int k = 0; k < count; ++k) {
        CHECK(info(k) == 0);
        std::vector<int> rows;
        for (int i = 0; i < n; ++i) rows.push_back(i);
        double growth = 0;
        for (int i = 0; i < n; ++i) {
            REQUIRE(pivots(k, i) > i);
            REQUIRE(pivots(k, i) <= n);
            std::swap(rows[static_cast<std::size_t>(i)],
                      rows[static_cast<std::size_t>(pivots(k, i) - 1)]);
            for (int j = 0; j < n; ++j) growth = std::max(growth, std::fabs(lu.get(k, i, j)));
            for (int j = 0; j < i; ++j) CHECK(std::fabs(lu.get(k, i, j)) <= 1 + unit<T>(1));
        }
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = 0;
                for (int m = 0; m <= std::min(i, j); ++m)
                    sum += (m == i ? 1.0 : lu.get(k, i, m)) * lu.get(k, m, j);
                const double off = sum - a.get(k, rows[static_cast<std::size_t>(i)], j);
                CHECK(std::fabs(off) <= unit<T>(n) * growth);
            }
    }
    f.lu_solve(lu.template items<const void*>().data(), lu.ld, n,
               std::vector<const int*>(pivots.items.begin(), pivots.items.end()).data(),
               x.template items<void*>().data(), x.ld, columns, transposed, count);
    CHECK(x.gaps_are_untouched());
    f.inverse(inverse.template items<void*>().data(), inverse.ld, n, info.items.data(), count);
    for (int k = 0; k < count; ++k) {
        double size = 0, of_inverse = 0;
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) of_inverse += std::fabs(inverse.get(k, i, j));
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < n; ++i) size = std::max(size, std::fabs(x.get(k, i, j)));
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < n; ++i)
                CHECK(std::fabs(product(a, x, k, i, j, transposed) - b.get(k, i, j)) <=
                      unit<T>(n) * n * (size + 1));
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i)
                CHECK(std::fabs(product(a, inverse, k, i, j, false) - (i == j)) <=
                      unit<T>(n) * n * (of_inverse + 1));
    }
}

template <class T>
void compare_cholesky(std::mt19937_64& random) {
    const small_factor_fns& f = factor_functions<T>();
    const int n = static_cast<int>(random() % small_matrix) + 1,
              count = static_cast<int>(random() % static_cast<uint64_t>(f.lanes)) + 1,
              columns = static_cast<int>(random() % 11) + 1;
    const bool upper = random() % 2;
    CAPTURE(n);
    CAPTURE(count);
    CAPTURE(upper);
    const batch<T> root(random, n, n, count);
    batch<T> a = root, b(random, n, columns, count);
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = i == j ? n : 0;
                for (int m = 0; m < n; ++m) sum += root.get(k, i, m) * root.get(k, j, m);
                a.at(k, i, j) = static_cast<T>(sum);
            }
    batch<T> factor = a, x = b;
    // The other triangle is not read.
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                if (upper ? i > j : i < j) factor.at(k, i, j) = std::numeric_limits<T>::quiet_NaN();
    integers info(1, count);
    f.cholesky(factor.template items<void*>().data(), factor.ld, n, upper, info.items.data(),
               count);
    CHECK(factor.gaps_are_untouched());
    f.cholesky_solve(factor.template items<const void*>().data(), factor.ld, n, upper,
                     x.template items<void*>().data(), x.ld, columns, count);
    for (int k = 0; k < count; ++k) {
        CHECK(info(k) == 0);
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = 0;
                for (int m = 0; m < n; ++m)
                    sum += upper ? factor.get(k, m, i) * factor.get(k, m, j)
                                 : factor.get(k, i, m) * factor.get(k, j, m);
                CHECK(std::fabs(sum - a.get(k, i, j)) <= unit<T>(n) * 2 * n);
                if (upper ? i > j : i < j) CHECK(factor.get(k, i, j) == 0);
            }
        for (int j = 0; j < columns; ++j)
            for (int i = 0; i < n; ++i)
                CHECK(std::fabs(product(a, x, k, i, j, false) - b.get(k, i, j)) <= unit<T>(n) * n);
    }
}

TEST_CASE("factors of small matrices") {
    std::mt19937_64 random(test::seed());
    at_each_level([&] {
        for (int i = 0; i < 60; ++i) {
            compare_lu<float>(random);
            compare_lu<double>(random);
            compare_cholesky<float>(random);
            compare_cholesky<double>(random);
        }
    });
}

TEST_CASE("what fails in a batch is told for its matrix alone") {
    at_each_level([] {
        const small_factor_fns& f = *find_factors(kDouble);
        std::mt19937_64 random(1);
        const int n = 3, count = std::min(f.lanes, 3);
        batch<double> a(random, n, n, count);
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) a.at(k, i, j) = i == j ? 4 : 1;
        batch<double> singular = a, negative = a, inverse = a;
        for (int i = 0; i < n; ++i) singular.at(1, i, 1) = singular.at(1, i, 0);
        negative.at(1, 2, 2) = -1;
        integers pivots(n, count), info(1, count);
        f.lu(singular.items<void*>().data(), singular.ld, n, pivots.items.data(), info.items.data(),
             count);
        CHECK(info(0) == 0);
        CHECK(info(1) == 2);
        f.cholesky(negative.items<void*>().data(), negative.ld, n, false, info.items.data(), count);
        CHECK(info(0) == 0);
        CHECK(info(1) == 3);
        CHECK(negative.get(0, 0, 0) == 2);
        for (int i = 0; i < n; ++i) inverse.at(1, i, 0) = 0;
        f.inverse(inverse.items<void*>().data(), inverse.ld, n, info.items.data(), count);
        CHECK(info(0) == 0);
        CHECK(info(1) == 1);
        CHECK(std::fabs(inverse.get(0, 0, 0) - 5.0 / 18) < 1e-15);
        // A pivot whose reciprocal would overflow.
        batch<double> tiny = a;
        for (int k = 0; k < count; ++k)
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j) tiny.at(k, i, j) = (i == j ? 4 : 1) * 1e-309;
        f.lu(tiny.items<void*>().data(), tiny.ld, n, pivots.items.data(), info.items.data(), count);
        CHECK(info(0) == 0);
        CHECK(std::fabs(tiny.get(0, 1, 0) - 0.25) < 1e-6);
    });
}

}  // namespace
