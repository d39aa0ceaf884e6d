// Inputs for functions along dimensions: one matrix or cube in several layouts, and a plain walk
// over it that is independent of the library.
#pragma once

#include "tests/ops/check.hpp"
#include "tests/seed.hpp"

#include <cmath>
#include <functional>
#include <random>

namespace sinter::test {

/// A tensor of doubles in row-major order, on which references compute.
struct plain {
    std::vector<int64_t> sizes;
    std::vector<double> values;

    explicit plain(std::vector<int64_t> s) : sizes(std::move(s)) {
        values.resize(static_cast<std::size_t>(numel()));
    }
    explicit plain(const tensor_base& t)
        : sizes(t.sizes().vec()), values(elements<double>(t.to(kDouble))) {}

    int64_t numel() const {
        int64_t n = 1;
        for (int64_t s : sizes) n *= s;
        return n;
    }
    /// The stride of a dimension.
    int64_t stride(int64_t dim) const {
        int64_t n = 1;
        for (std::size_t d = sizes.size(); d-- > static_cast<std::size_t>(dim) + 1;) n *= sizes[d];
        return n;
    }
    /// Calls f(first, stride, length) for every row along `dim`; a 0-d tensor is one row of one
    /// element.
    template <class F>
    void for_each_row(int64_t dim, const F& f) const {
        if (sizes.empty()) return f(int64_t{0}, int64_t{1}, int64_t{1});
        const int64_t n = sizes[static_cast<std::size_t>(dim)], step = stride(dim);
        int64_t outer = 1;
        for (int64_t d = 0; d < dim; ++d) outer *= sizes[static_cast<std::size_t>(d)];
        for (int64_t o = 0; o < outer; ++o)
            for (int64_t i = 0; i < step; ++i) f(o * n * step + i, step, n);
    }
    /// Returns the elements of a row.
    std::vector<double> row(int64_t first, int64_t step, int64_t n) const {
        std::vector<double> r;
        for (int64_t i = 0; i < n; ++i)
            r.push_back(values[static_cast<std::size_t>(first + i * step)]);
        return r;
    }
    /// Returns f of each row, without `dim` or with size 1 there.
    template <class F>
    plain reduced(int64_t dim, bool keepdim, const F& f) const {
        std::vector<int64_t> s = sizes;
        if (!s.empty()) {
            if (keepdim)
                s[static_cast<std::size_t>(dim)] = 1;
            else
                s.erase(s.begin() + dim);
        }
        plain r(s);
        std::size_t k = 0;
        for_each_row(dim, [&](int64_t first, int64_t step, int64_t n) {
            r.values[k++] = f(row(first, step, n));
        });
        return r;
    }
    /// Maps each row with f to a row of the same length.
    template <class F>
    plain mapped(int64_t dim, const F& f) const {
        plain r(sizes);
        for_each_row(dim, [&](int64_t first, int64_t step, int64_t n) {
            const std::vector<double> to = f(row(first, step, n));
            for (int64_t i = 0; i < n; ++i)
                r.values[static_cast<std::size_t>(first + i * step)] =
                    to[static_cast<std::size_t>(i)];
        });
        return r;
    }
};

/// Checks that values are within `tolerance` of max(1, |expected|); NaN and infinities are equal to
/// themselves.
inline void check_near(const tensor_base& t, const plain& expected, double tolerance) {
    REQUIRE(t.sizes() == expected.sizes);
    const plain got(t);
    for (std::size_t i = 0; i < got.values.size(); ++i) {
        const double x = got.values[i], y = expected.values[i];
        const bool same = x == y || (std::isnan(x) && std::isnan(y)) ||
                          std::abs(x - y) <= tolerance * std::max(1.0, std::abs(y));
        if (!same) {
            CAPTURE(i);
            CAPTURE(x);
            CAPTURE(y);
            REQUIRE(same);
        }
    }
}

/// Returns the accepted difference between a result of this dtype and a reference in double.
inline double tolerance_of(ScalarType dtype) {
    switch (dtype) {
        case kHalf: return 2e-3;
        case kBFloat16: return 2e-2;
        case kFloat: return 1e-5;
        default: return 1e-12;
    }
}

/// Small whole numbers and halves, with ties; `special` adds NaN, infinities and both zeros.
inline Tensor some_values(IntArrayRef sizes, ScalarType dtype, uint64_t seed,
                          bool special = false) {
    std::mt19937_64 random(seed);
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    std::vector<double> v;
    const bool real = isFloatingType(dtype);
    for (int64_t i = 0; i < n; ++i) {
        double x = static_cast<double>(static_cast<int64_t>(random() % 19) - 9);
        if (real) x /= 2;
        if (dtype == kByte || dtype == kBool) x = std::abs(x);
        if (special && real) switch (random() % 12) {
                case 0: x = std::numeric_limits<double>::quiet_NaN(); break;
                case 1: x = std::numeric_limits<double>::infinity(); break;
                case 2: x = -std::numeric_limits<double>::infinity(); break;
                case 3: x = -0.0; break;
                default: break;
            }
        v.push_back(x);
    }
    return sinter::tensor(v, TensorOptions(kDouble)).view(sizes).to(dtype);
}

/// Calls f with tensors of the dtype in many shapes and layouts, or in a few.
inline void for_each_layout(ScalarType dtype, bool special,
                            const std::function<void(const Tensor&)>& f, bool few = false) {
    uint64_t seed = test::seed();
    const auto make = [&](IntArrayRef sizes) { return some_values(sizes, dtype, ++seed, special); };
    const std::pair<const char*, Tensor> cases[] = {
        {"permuted", make({3, 2, 4}).permute({2, 0, 1})},
        {"every second", make({4, 9}).slice(1, 1, 9, 2)},
        {"vector", make({7})},
        {"matrix", make({4, 5})},
        {"transposed", make({5, 3}).t()},
        {"cube", make({2, 3, 4})},
        {"expanded", make({3, 1}).expand({3, 4})},
        {"expanded rows", make({4}).expand({3, 4})},
        {"one element", make({1, 1})},
        {"0-d", make({})},
        {"no rows", make({0, 3})},
    };
    int count = 0;
    for (const auto& [name, t] : cases) {
        if (few && ++count > 3) break;
        const std::string layout = name;
        CAPTURE(layout);
        CAPTURE(dtype);
        f(t);
    }
}

/// Calls f(dim from 0, dim as given) for each dimension, with its nonnegative and its negative
/// number.
inline void for_each_dim(const Tensor& t, const std::function<void(int64_t, int64_t)>& f) {
    const int64_t n = std::max<int64_t>(t.dim(), 1);
    for (int64_t d = 0; d < n; ++d) {
        CAPTURE(d);
        f(d, d % 2 ? d : d - n);
    }
}

}  // namespace sinter::test
