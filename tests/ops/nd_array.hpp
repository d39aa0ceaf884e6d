// A plain array for references: row-major doubles, processed element by element, without strides or
// laziness.
#pragma once

#include "tests/ops/check.hpp"

#include <random>

namespace sinter::test {

struct nd_array {
    std::vector<int64_t> sizes;
    std::vector<double> values;

    explicit nd_array(std::vector<int64_t> s, double value = 0) : sizes(std::move(s)) {
        values.assign(static_cast<std::size_t>(count()), value);
    }
    explicit nd_array(const tensor_base& t) : sizes(t.sizes().vec()) {
        values = elements<double>(t.to(kDouble));
    }
    int64_t count() const {
        int64_t n = 1;
        for (int64_t s : sizes) n *= s;
        return n;
    }
    std::vector<int64_t> position(int64_t element) const {
        std::vector<int64_t> at(sizes.size());
        for (std::size_t d = sizes.size(); d-- > 0; element /= sizes[d]) at[d] = element % sizes[d];
        return at;
    }
    double& operator[](const std::vector<int64_t>& at) {
        std::size_t i = 0;
        for (std::size_t d = 0; d < sizes.size(); ++d)
            i = i * static_cast<std::size_t>(sizes[d]) + static_cast<std::size_t>(at[d]);
        return values[i];
    }
    double operator[](const std::vector<int64_t>& at) const {
        return const_cast<nd_array&>(*this)[at];
    }
};

/// Checks sizes and elements as doubles.
inline void check_array(const tensor_base& t, const nd_array& expected) {
    const std::string printed = text(t);
    CAPTURE(printed);
    REQUIRE(t.sizes() == IntArrayRef(expected.sizes));
    CHECK(nd_array(t).values == expected.values);
}

/// Random sizes, and tensors of small whole numbers in any layout.
class random_arrays {
public:
    explicit random_arrays(uint64_t seed) : random_(seed) {}

    int64_t pick(int64_t least, int64_t most) {
        return std::uniform_int_distribution<int64_t>(least, most)(random_);
    }
    template <class T>
    T one_of(std::initializer_list<T> list) {
        return list.begin()[pick(0, static_cast<int64_t>(list.size()) - 1)];
    }
    std::vector<int64_t> sizes(int64_t dims, int64_t least = 1, int64_t most = 4) {
        std::vector<int64_t> s;
        for (int64_t d = 0; d < dims; ++d) s.push_back(pick(least, most));
        return s;
    }
    /// Returns values from `least` to `most`: dense, permuted, or a slice with steps of a larger
    /// tensor.
    Tensor tensor(const std::vector<int64_t>& sizes, ScalarType dtype, int64_t least = -9,
                  int64_t most = 9) {
        const int64_t how = sizes.empty() ? 0 : pick(0, 3);
        std::vector<int64_t> whole = sizes;
        const auto d = static_cast<std::size_t>(
            how == 0 ? 0 : pick(0, static_cast<int64_t>(sizes.size()) - 1));
        if (how == 1) whole[d] = 2 * whole[d] + 1;
        if (how == 2) std::swap(whole[0], whole[d]);
        std::vector<int64_t> values(static_cast<std::size_t>(nd_array(whole).count()));
        for (int64_t& v : values) v = pick(least, most);
        Tensor t = sinter::tensor(values, kLong).to(dtype).reshape(whole);
        const auto dim = static_cast<int64_t>(d);
        if (how == 1) t = t.slice(dim, 1, 2 * sizes[d] + 1, 2);
        if (how == 2) t = t.transpose(0, dim);
        if (how == 3) t = t + 0;  // pending
        return t;
    }

private:
    std::mt19937_64 random_;
};

}  // namespace sinter::test
