// Products of small matrices against plain loops, at each level.
#include "jit/simd/block.hpp"

#include "tests/seed.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace sinter;
using namespace sinter::block;

template <class T>
constexpr ScalarType dtype = sizeof(T) == 4 ? kFloat : kDouble;

/// A factor inside a vector of NaNs, with gaps after its rows, in either order.
template <class T>
struct factor {
    std::vector<T> memory;
    small_factor view{};

    factor(std::mt19937_64& random, int64_t rows, int64_t cols, int64_t count, bool dense) {
        const int64_t gap = dense ? 0 : static_cast<int64_t>(random() % 3);
        const bool turned = !dense && random() % 2;
        view.row = turned ? 1 : cols + gap;
        view.col = turned ? rows + gap : 1;
        view.step = random() % 4 ? (rows + gap) * (cols + gap) : 0;
        memory.assign(static_cast<std::size_t>((rows + gap) * (cols + gap) * count),
                      std::numeric_limits<T>::quiet_NaN());
        std::uniform_real_distribution<T> number(-1, 1);
        for (int64_t i = 0; i < count; ++i)
            for (int64_t r = 0; r < rows; ++r)
                for (int64_t c = 0; c < cols; ++c)
                    memory[static_cast<std::size_t>(at(i, r, c))] = number(random);
        view.data = memory.data();
    }
    int64_t at(int64_t i, int64_t r, int64_t c) const {
        return i * view.step + r * view.row + c * view.col;
    }
    double get(int64_t i, int64_t r, int64_t c) const {
        return memory[static_cast<std::size_t>(at(i, r, c))];
    }
};

template <class T>
void compare(std::mt19937_64& random) {
    const auto size = [&] { return static_cast<int64_t>(random() % small_matrix) + 1; };
    const bool square = random() % 4 == 0, dense = random() % 3 == 0;
    const int64_t m = square ? 4 << random() % 4 : size(), k = square ? m : size();
    const int64_t n = square ? m : random() % 4 ? size() : 1;
    const int64_t count = static_cast<int64_t>(random() % 9) + 1;
    const factor<T> a(random, m, k, count, dense), b(random, k, n, count, dense);
    std::vector<T> out(static_cast<std::size_t>(count * m * n) + 64, T{42});
    find_product(dtype<T>)(out.data(), a.view, b.view, m, n, k, count);
    CAPTURE(m);
    CAPTURE(n);
    CAPTURE(k);
    CAPTURE(count);
    for (int64_t i = 0; i < count; ++i)
        for (int64_t r = 0; r < m; ++r)
            for (int64_t c = 0; c < n; ++c) {
                double sum = 0, size_of_it = 0;
                for (int64_t p = 0; p < k; ++p) {
                    const double x = a.get(i, r, p) * b.get(i, p, c);
                    sum += x;
                    size_of_it += std::abs(x);
                }
                const double got = out[static_cast<std::size_t>((i * m + r) * n + c)];
                const double bound =
                    size_of_it * static_cast<double>(k + 1) * std::numeric_limits<T>::epsilon();
                if (!(std::abs(got - sum) <= bound)) CHECK(got == doctest::Approx(sum));
            }
    bool untouched = true;
    for (std::size_t i = out.size() - 64; i < out.size(); ++i) untouched &= out[i] == T{42};
    CHECK(untouched);
}

}  // namespace

TEST_CASE("small products: any sizes, layouts and counts, and nothing behind the result") {
    const isa before = level();
    for (const isa l : {isa::baseline, isa::v3, isa::v4}) {
        if (!available(l)) continue;
        set_level(l);
        std::mt19937_64 random(test::seed());
        for (int i = 0; i < 1000; ++i) {
            compare<float>(random);
            compare<double>(random);
        }
    }
    set_level(before);
}

TEST_CASE("small products: other dtypes have none") {
    CHECK(!find_product(kLong));
    CHECK(!find_product(kHalf));
}
