// Operands for tests of the product kernels: arrays in any layout, and the product by three loops.
#pragma once

#include "engine/graph/graph.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace sinter::test {

/// The memory layout of a matrix.
enum class arrangement { rows, columns, sliced_rows, sliced_columns, stepped, shifted };
inline constexpr arrangement all_layouts[] = {arrangement::rows,        arrangement::columns,
                                              arrangement::sliced_rows, arrangement::sliced_columns,
                                              arrangement::stepped,     arrangement::shifted};

/// A strided array of T that owns its memory, and its index map.
template <class T>
struct array {
    std::vector<T> memory;
    geometry_ptr shape;

    op_input input() const {
        return {reinterpret_cast<const char*>(memory.data()), shape.get(), scalar_type_v<T>};
    }
    T& at(int64_t batch, int64_t row, int64_t col) {
        const geometry& g = *shape;
        const int nb = g.ndim - 2;
        int64_t o = g.offset + row * g.strides()[nb] + col * g.strides()[nb + 1];
        for (int d = nb; d-- > 0;) {
            o += batch % g.sizes()[d] * g.strides()[d];
            batch /= g.sizes()[d];
        }
        return memory[static_cast<std::size_t>(o)];
    }
};

/// A batch of rows x cols matrices, each in separate memory unless `repeat`.
template <class T>
array<T> make_array(arrangement how, std::vector<int64_t> batch, int64_t rows, int64_t cols,
                    bool repeat = false) {
    int64_t row_stride = cols, col_stride = 1, offset = 0, matrix = rows * cols;
    switch (how) {
        case arrangement::rows: break;
        case arrangement::columns: row_stride = 1, col_stride = rows; break;
        case arrangement::sliced_rows:
            row_stride = cols + 3, offset = 2, matrix = rows * row_stride;
            break;
        case arrangement::sliced_columns:
            row_stride = 1, col_stride = rows + 5, offset = 1, matrix = cols * col_stride;
            break;
        case arrangement::stepped:
            row_stride = 2 * cols, col_stride = 2, matrix = 2 * rows * cols;
            break;
        case arrangement::shifted:
            row_stride = 3 * cols + 1, col_stride = 3, offset = 7, matrix = rows * row_stride;
            break;
    }
    std::vector<int64_t> sizes = batch, strides(batch.size());
    int64_t size = matrix;
    for (std::size_t d = batch.size(); d-- > 0;) {
        strides[d] = repeat ? 0 : size;
        if (!repeat) size *= batch[d];
    }
    sizes.insert(sizes.end(), {rows, cols});
    strides.insert(strides.end(), {row_stride, col_stride});
    array<T> a;
    a.memory.resize(static_cast<std::size_t>(size + offset));
    a.shape = make_geometry(sizes, strides, offset);
    return a;
}

/// Random values of moderate size; integers over their whole range.
template <class T>
void fill(array<T>& a, std::mt19937_64& random) {
    for (T& x : a.memory) {
        if constexpr (std::is_integral_v<T>) {
            x = static_cast<T>(random());
        } else {
            x = T(static_cast<float>(std::uniform_real_distribution<double>(-1, 1)(random)));
        }
    }
}

/// Runs the operation into memory filled with NaN bits.
template <class T>
std::vector<T> run_product(const kernel_op& op, const array<T>& a, const array<T>& b) {
    std::vector<int64_t> sizes = a.shape->sizes_ref().vec();
    sizes.back() = b.shape->sizes()[b.shape->ndim - 1];
    geometry_ptr shape = make_contiguous(sizes);
    const auto count = static_cast<std::size_t>(shape->numel);
    std::vector<T> out(count + 2);
    std::memset(static_cast<void*>(out.data()), 0xff, (count + 2) * sizeof(T));
    const op_input inputs[2] = {a.input(), b.input()};
    op.run({op, inputs, {}, reinterpret_cast<char*>(out.data() + 1), *shape, scalar_type_v<T>});
    // Canaries on both sides.
    T untouched;
    std::memset(static_cast<void*>(&untouched), 0xff, sizeof(T));
    auto written = [&](const T& x) {
        return std::memcmp(&x, &untouched, sizeof(T)) != 0;  // NOLINT: bits are meant
    };
    if (written(out.front()) || written(out.back()))
        throw std::runtime_error("the product wrote outside its result");
    return {out.begin() + 1, out.end() - 1};
}

struct worst_case {
    double error = 0;  // the largest |got - exact| over sum |a b|
    bool finite = true;
};

/// Compares with sums in f64; large results are sampled evenly.
template <class T>
worst_case compare(array<T>& a, array<T>& b, const std::vector<T>& got) {
    const int nb = a.shape->ndim - 2;
    const int64_t m = a.shape->sizes()[nb], k = a.shape->sizes()[nb + 1];
    const int64_t n = b.shape->sizes()[nb + 1];
    worst_case w;
    const auto count = static_cast<int64_t>(got.size());
    const int64_t step = 1 + count * std::max<int64_t>(k, 1) / 4'000'000;
    for (int64_t i = 0; i < count; i += step) {
        const int64_t batch = i / (m * n), r = i / n % m, c = i % n;
        double sum = 0, size = 0;
        for (int64_t p = 0; p < k; ++p) {
            const double x = double(a.at(batch, r, p)) * double(b.at(batch, p, c));
            sum += x;
            size += std::fabs(x);
        }
        double difference = std::fabs(double(got[static_cast<std::size_t>(i)]) - sum);
        if (!(difference < 1e300)) w.finite = false;
        // Half's subnormals have an absolute error.
        if (std::is_same_v<T, Half>) difference = std::max(0.0, difference - 0x1p-25);
        if (difference > 0) w.error = std::max(w.error, size > 0 ? difference / size : 1e300);
    }
    return w;
}

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace sinter::test
