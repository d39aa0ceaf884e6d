// Eigenvalues and vectors of small symmetric matrices against the definition, at each level:
// residuals, special matrices, and that a matrix gets the same bits beside any others.
#include "tests/jit/simd/small_batch.hpp"
#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace sinter;
using namespace sinter::block;
using namespace sinter::test;

/// A symmetric matrix, by columns.
using symmetric = std::vector<double>;

double& element(symmetric& a, int n, int i, int j) {
    return a[static_cast<std::size_t>(j * n + i)];
}

symmetric diagonal(const std::vector<double>& values) {
    const int n = static_cast<int>(values.size());
    symmetric a(static_cast<std::size_t>(n * n));
    for (int i = 0; i < n; ++i) element(a, n, i, i) = values[static_cast<std::size_t>(i)];
    return a;
}

/// Rotates rows and columns of neighbours, so that the eigenvalues stay.
symmetric rotated(symmetric a, int n, std::mt19937_64& random) {
    std::uniform_real_distribution<double> angle(0, 2 * std::numbers::pi);
    for (int round = 0; round < 2; ++round)
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q) {
                const double t = angle(random), c = std::cos(t), s = std::sin(t);
                for (int k = 0; k < n; ++k) {
                    double &x = element(a, n, p, k), &y = element(a, n, q, k);
                    const double old = x;
                    x = c * old - s * y;
                    y = s * old + c * y;
                }
                for (int k = 0; k < n; ++k) {
                    double &x = element(a, n, k, p), &y = element(a, n, k, q);
                    const double old = x;
                    x = c * old - s * y;
                    y = s * old + c * y;
                }
            }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) element(a, n, i, j) = element(a, n, j, i);
    return a;
}

symmetric random_matrix(int n, std::mt19937_64& random) {
    std::uniform_real_distribution<double> number(-1, 1);
    symmetric a(static_cast<std::size_t>(n * n));
    for (int j = 0; j < n; ++j)
        for (int i = j; i < n; ++i) element(a, n, i, j) = element(a, n, j, i) = number(random);
    return a;
}

symmetric scaled(symmetric a, double factor) {
    for (double& x : a) x *= factor;
    return a;
}

struct named {
    std::string name;
    symmetric matrix;
};

/// Matrices that are hard, or easy in an unusual way.
template <class T>
std::vector<named> gallery_of(int n, std::mt19937_64& random) {
    const auto values = [n](auto f) {
        std::vector<double> all;
        for (int i = 0; i < n; ++i) all.push_back(f(i));
        return all;
    };
    const bool is_float = sizeof(T) == 4;
    const double huge = is_float ? 1e37 : 1e306, tiny = is_float ? 1e-38 : 1e-308,
                 denormal = is_float ? 0x1p-147 : 0x1p-1072;
    symmetric wilkinson = diagonal(values([n](int i) { return std::fabs(i - (n - 1) / 2.0); })),
              ones(static_cast<std::size_t>(n * n), 1.0),
              arrow = diagonal(values([](int i) { return i; })),
              far(static_cast<std::size_t>(n * n)), hilbert = ones;
    for (int i = 0; i + 1 < n; ++i) {
        element(wilkinson, n, i, i + 1) = element(wilkinson, n, i + 1, i) = 1;
        element(arrow, n, n - 1, i) = element(arrow, n, i, n - 1) = 1;
    }
    element(far, n, n - 1, 0) = element(far, n, 0, n - 1) = 1;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) element(hilbert, n, i, j) = 1.0 / (i + j + 1);
    const symmetric graded = diagonal(values([](int i) { return std::pow(10.0, -4 * i); })),
                    upwards = diagonal(values([n](int i) { return std::pow(10.0, -4 * (n - i)); }));
    symmetric by_rows = random_matrix(n, random), by_rows_upwards = by_rows;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            element(by_rows, n, i, j) *= std::pow(10.0, -(i + j));
            element(by_rows_upwards, n, i, j) *= std::pow(10.0, i + j - 2 * n);
        }
    return {
        {"zero", symmetric(static_cast<std::size_t>(n * n))},
        {"identity", diagonal(values([](int) { return 1; }))},
        {"a diagonal", diagonal(values([n](int i) { return (i * 7) % n - n / 3; }))},
        {"ones", ones},
        {"ones that are denormal", scaled(ones, denormal)},
        {"opposite corners", far},
        {"an arrow", arrow},
        {"Wilkinson", wilkinson},
        {"Hilbert", hilbert},
        {"two eigenvalues", rotated(diagonal(values([](int i) { return i % 2; })), n, random)},
        {"a cluster", rotated(diagonal(values([](int i) { return 1 + 1e-9 * i; })), n, random)},
        {"graded", graded},
        {"graded and rotated", rotated(graded, n, random)},
        {"graded upwards and rotated", rotated(upwards, n, random)},
        {"graded by rows", by_rows},
        {"graded by rows upwards", by_rows_upwards},
        {"huge", scaled(random_matrix(n, random), huge)},
        {"tiny", scaled(random_matrix(n, random), tiny)},
        {"huge and tiny", diagonal(values([=](int i) { return i % 2 ? huge : tiny; }))},
        {"random", random_matrix(n, random)},
    };
}

/// The results of a call: matrices that became vectors, their values, and info.
template <class T>
struct outcome {
    batch<T> vectors, values;
    integers info;
};

/// Elements of the other triangle are NaN. `vectors`: whether they are wanted.
template <class T>
outcome<T> computed(const std::vector<symmetric>& matrices, int n, bool upper, bool vectors) {
    std::mt19937_64 random(1);
    const int count = static_cast<int>(matrices.size());
    outcome<T> r{batch<T>(random, n, n, count), batch<T>(random, n, 1, count), integers(1, count)};
    for (int k = 0; k < count; ++k)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                r.vectors.at(k, i, j) =
                    (upper ? i > j : i < j)
                        ? std::numeric_limits<T>::quiet_NaN()
                        : static_cast<T>(matrices[static_cast<std::size_t>(k)]
                                                 [static_cast<std::size_t>(j * n + i)]);
    factor_functions<T>().eigen(r.vectors.template items<void*>().data(), r.vectors.ld, n, upper,
                                vectors, r.values.template items<void*>().data(),
                                r.info.items.data(), count);
    CHECK(r.vectors.gaps_are_untouched());
    CHECK(r.values.gaps_are_untouched());
    return r;
}

/// 10 roundings for each row; up to 5 were seen.
template <class T>
double allowed(int n) {
    return 5 * std::numeric_limits<T>::epsilon() * n;
}

double size_of(double x) {
    return std::isnan(x) ? std::numeric_limits<double>::infinity() : std::fabs(x);
}

/// Checks matrix k of a call against the definition.
template <class T>
void hold(const symmetric& matrix, const outcome<T>& of, int k, int n) {
    CHECK(of.info(k) == 0);
    symmetric a = matrix;
    double size = 0;
    for (double& x : a) {
        x = static_cast<T>(x);
        size = std::max(size, std::fabs(x));
    }
    // Divided by the largest element, so that sums do not overflow. Near denormal numbers a
    // result is off by half of the smallest one.
    const double scale = size > 0 ? size : 1;
    const double of_values =
        allowed<T>(n) * n + 2 * static_cast<double>(std::numeric_limits<T>::denorm_min()) / scale;
    double residual = 0, off = 0;
    bool rising = true;
    for (int j = 0; j < n; ++j) {
        const double w = of.values.get(k, j, 0) / scale;
        rising &= j == 0 || of.values.get(k, j - 1, 0) <= of.values.get(k, j, 0);
        for (int i = 0; i < n; ++i) {
            double sum = -w * of.vectors.get(k, i, j), product = i == j ? -1 : 0;
            for (int m = 0; m < n; ++m) {
                sum += element(a, n, i, m) / scale * of.vectors.get(k, m, j);
                product += of.vectors.get(k, m, i) * of.vectors.get(k, m, j);
            }
            residual = std::max(residual, size_of(sum));
            off = std::max(off, size_of(product));
        }
    }
    CHECK(rising);
    CHECK(residual <= of_values);
    CHECK(off <= allowed<T>(n));
}

template <class T>
bool same_bits(const outcome<T>& a, int i, const outcome<T>& b, int k, int n, bool vectors) {
    bool same = a.info(i) == b.info(k);
    const auto equal = [](const T& x, const T& y) { return std::memcmp(&x, &y, sizeof x) == 0; };
    for (int j = 0; j < n; ++j) {
        same &= equal(static_cast<T>(a.values.get(i, j, 0)), static_cast<T>(b.values.get(k, j, 0)));
        for (int m = 0; vectors && m < n; ++m)
            same &= equal(static_cast<T>(a.vectors.get(i, m, j)),
                          static_cast<T>(b.vectors.get(k, m, j)));
    }
    return same;
}

/// Calls f(matrices, names) for as many matrices at a time as the level takes.
template <class F>
void in_groups(const std::vector<named>& all, int lanes, const F& f) {
    for (std::size_t first = 0; first < all.size(); first += static_cast<std::size_t>(lanes)) {
        std::vector<symmetric> group;
        std::vector<std::string> names;
        for (std::size_t k = first;
             k < std::min(all.size(), first + static_cast<std::size_t>(lanes)); ++k) {
            group.push_back(all[k].matrix);
            names.push_back(all[k].name);
        }
        f(group, names);
    }
}

template <class T>
void compare_all() {
    const int lanes = factor_functions<T>().lanes;
    std::mt19937_64 random(test::seed());
    for (int n = 1; n <= small_matrix; n += n > 5 && test::sanitized() ? 9 : 1) {
        CAPTURE(n);
        in_groups(gallery_of<T>(n, random), lanes,
                  [&](const std::vector<symmetric>& group, const std::vector<std::string>& names) {
                      const bool upper = random() % 2;
                      const outcome<T> all = computed<T>(group, n, upper, true),
                                       only_values = computed<T>(group, n, upper, false);
                      for (std::size_t k = 0; k < group.size(); ++k) {
                          CAPTURE(names[k]);
                          hold(group[k], all, static_cast<int>(k), n);
                          CHECK(same_bits(all, static_cast<int>(k), only_values,
                                          static_cast<int>(k), n, false));
                      }
                  });
    }
}

/// The bits of each matrix alone at the lowest level, and in other lanes beside others at each.
template <class T>
void compare_bits() {
    const isa before = level();
    for (const int n : {1, 2, 3, 5, 8, 17, 32}) {
        CAPTURE(n);
        std::mt19937_64 random(test::seed());
        const std::vector<named> all = gallery_of<T>(n, random);
        set_level(isa::baseline);
        std::vector<outcome<T>> alone;
        for (const named& m : all) alone.push_back(computed<T>({m.matrix}, n, false, true));
        set_level(before);
        at_each_level([&] {
            const int lanes = factor_functions<T>().lanes;
            for (int round = 0; round < 4; ++round) {
                std::vector<symmetric> group;
                std::vector<std::size_t> which;
                for (int k = 0; k < lanes; ++k) {
                    which.push_back(random() % all.size());
                    group.push_back(all[which.back()].matrix);
                }
                const outcome<T> r = computed<T>(group, n, round % 2, true);
                for (int k = 0; k < lanes; ++k) {
                    const std::size_t at = which[static_cast<std::size_t>(k)];
                    CAPTURE(all[at].name);
                    CHECK(same_bits(r, k, alone[at], 0, n, true));
                }
            }
        });
    }
}

TEST_CASE("eigenvalues and vectors of small matrices") {
    at_each_level([] {
        compare_all<float>();
        compare_all<double>();
    });
}

/// Powers of two of all sizes and zeros, some of them tridiagonal: shifts and rotations meet
/// numbers whose squares are no numbers.
template <class T>
void compare_sizes(std::mt19937_64& random) {
    const int lanes = factor_functions<T>().lanes, smallest = sizeof(T) == 4 ? 140 : 1000;
    for (int i = 0; i < test::cases(1000); ++i) {
        const int n = static_cast<int>(random() % 7) + 2;
        CAPTURE(n);
        std::vector<symmetric> group;
        for (int k = 0; k < lanes; ++k) {
            const bool tridiagonal = random() % 2;
            symmetric a(static_cast<std::size_t>(n * n));
            for (int c = 0; c < n; ++c)
                for (int r = c; r < n; ++r)
                    if (!tridiagonal || r <= c + 1)
                        element(a, n, r, c) = element(a, n, c, r) = std::ldexp(
                            static_cast<int>(random() % 3) - 1,
                            -static_cast<int>(random() % static_cast<uint64_t>(smallest)));
            group.push_back(a);
        }
        const outcome<T> r = computed<T>(group, n, random() % 2, true);
        for (int k = 0; k < lanes; ++k) hold(group[static_cast<std::size_t>(k)], r, k, n);
    }
}

TEST_CASE("eigenvalues of small matrices with elements of all sizes") {
    std::mt19937_64 random(test::seed());
    at_each_level([&] {
        compare_sizes<float>(random);
        compare_sizes<double>(random);
    });
}

TEST_CASE("a small matrix has the same eigenvectors beside any others and at each level") {
    compare_bits<float>();
    compare_bits<double>();
}

TEST_CASE("eigenvalues of diagonal matrices are their elements") {
    at_each_level([] {
        const symmetric a = diagonal({3, -1, 0x1p-60, 2.5, 1e30});
        const outcome<float> r = computed<float>({a}, 5, false, true);
        const double expected[] = {-1, 0x1p-60, 2.5, 3, static_cast<float>(1e30)};
        for (int i = 0; i < 5; ++i) CHECK(r.values.get(0, i, 0) == expected[i]);
        CHECK(r.vectors.get(0, 1, 0) == 1);
        CHECK(r.vectors.get(0, 4, 4) == 1);
        CHECK(r.vectors.get(0, 0, 0) == 0);
    });
}

TEST_CASE("elements that are not finite are told for their matrix alone") {
    at_each_level([] {
        const int n = 6, lanes = factor_functions<double>().lanes;
        std::mt19937_64 random(test::seed());
        for (const double bad :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
              -std::numeric_limits<double>::infinity()}) {
            std::vector<symmetric> group;
            for (int k = 0; k < lanes; ++k) group.push_back(random_matrix(n, random));
            const std::vector<symmetric> good = group;
            element(group[1], n, 4, 2) = element(group[1], n, 2, 4) = bad;
            const outcome<double> r = computed<double>(group, n, false, true);
            for (int k = 0; k < lanes; ++k) {
                if (k == 1) continue;
                hold(good[static_cast<std::size_t>(k)], r, k, n);
            }
            CHECK(r.info(1) == -1);
        }
    });
}

}  // namespace
