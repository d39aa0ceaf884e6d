// Products of small matrices, for which a BLAS call costs more than the product.
#include "jit/simd/table.hpp"

#include <cstring>
#include <type_traits>
#include <utility>

namespace sinter::block::SINTER_BLOCK_LEVEL {
namespace {

/// Columns that are summed together: `count` vectors of `width` elements.
template <class T, int Columns>
struct line {
    static constexpr int most = vector_bytes / static_cast<int>(sizeof(T));
    static constexpr int width = Columns < most ? Columns : most;
    static constexpr int count = Columns / width;
    typedef T vector [[gnu::vector_size(width * sizeof(T))]];
};

/// Calls f(constant 0), f(constant 1), ... Constant indices keep an array in registers.
template <std::size_t Count, class F>
[[gnu::always_inline]] inline void for_each_of(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
        (f(std::integral_constant<int, static_cast<int>(I)>{}), ...);
    }(std::make_index_sequence<Count>{});
}

/// Computes rows of the product; sums stay in registers. `Columns` elements of each row of b must
/// be readable. A row is stored with all `Columns` elements if that does not pass `end`, the end of
/// the output: the surplus is overwritten by the next row.
template <class T, int Columns, int Rows>
[[gnu::always_inline]] inline void multiply_rows(const T* a, int64_t a_row, int64_t a_col,
                                                 const T* b, int64_t b_row, int64_t k, T* out,
                                                 int64_t n, const T* end) {
    using line = block::SINTER_BLOCK_LEVEL::line<T, Columns>;
    using vector = typename line::vector;
    constexpr int count = line::count;
    vector sum[Rows * count];
    for_each_of<Rows * count>([&](auto i) __attribute__((always_inline)) { sum[i] = vector{}; });
    for (int64_t p = 0; p < k; ++p) {
        vector of_b[count];
        for_each_of<count>([&](auto c) __attribute__((always_inline)) {
            std::memcpy(&of_b[c], b + p * b_row + c * line::width, sizeof(vector));
        });
        for_each_of<Rows>([&](auto r) __attribute__((always_inline)) {
            const T factor = a[r * a_row + p * a_col];
            for_each_of<count>([&](auto c) __attribute__((always_inline)) {
                sum[r * count + c] += factor * of_b[c];
            });
        });
    }
    for_each_of<Rows>([&](auto r) __attribute__((always_inline)) {
        T* to = out + r * n;
        if (end - to >= Columns) [[likely]] {
            for_each_of<count>([&](auto c) __attribute__((always_inline)) {
                std::memcpy(to + c * line::width, &sum[r * count + c], sizeof(vector));
            });
        } else {
            vector row[count];
            for_each_of<count>([&](auto c)
                                   __attribute__((always_inline)) { row[c] = sum[r * count + c]; });
            std::memcpy(to, row, static_cast<std::size_t>(n) * sizeof(T));
        }
    });
}

/// Copies b's rows, each padded with zeros to `Columns` elements.
template <class T, int Columns>
void widen(T* panel, const small_factor& b, const T* from, int64_t k, int64_t n) {
    std::memset(panel, 0, static_cast<std::size_t>(k) * Columns * sizeof(T));
    for (int64_t p = 0; p < k; ++p, panel += Columns, from += b.row) {
        if (b.col == 1)
            std::memcpy(panel, from, static_cast<std::size_t>(n) * sizeof(T));
        else
            for (int64_t c = 0; c < n; ++c) panel[c] = from[c * b.col];
    }
}

/// Returns the number of rows whose sums, with one row of b, fit into the registers.
template <class T, int Columns>
constexpr int rows_at_once() {
    constexpr int count = line<T, Columns>::count, registers = vector_bytes == 64 ? 16 : 8;
    return count * 8 <= registers ? 8 : count >= registers ? 1 : registers / count;
}

template <class T, int Columns>
[[gnu::always_inline]] inline void multiply_one(const T* a, int64_t a_row, int64_t a_col,
                                                const T* b, int64_t b_row, T* out, int64_t m,
                                                int64_t n, int64_t k, const T* end) {
    constexpr int many = rows_at_once<T, Columns>(), some = many < 4 ? many : 4;
    int64_t r = 0;
    for (; r + many <= m; r += many)
        multiply_rows<T, Columns, many>(a + r * a_row, a_row, a_col, b, b_row, k, out + r * n, n,
                                        end);
    for (; r + some <= m; r += some)
        multiply_rows<T, Columns, some>(a + r * a_row, a_row, a_col, b, b_row, k, out + r * n, n,
                                        end);
    for (; r < m; ++r)
        multiply_rows<T, Columns, 1>(a + r * a_row, a_row, a_col, b, b_row, k, out + r * n, n, end);
}

template <class T, int Columns>
void multiply(T* out, const small_factor& a, const small_factor& b, int64_t m, int64_t n, int64_t k,
              int64_t count) {
    const T* end = out + count * m * n;
    T panel[Columns * small_matrix];
    for (int64_t i = 0; i < count; ++i, out += m * n) {
        const T* of_a = static_cast<const T*>(a.data) + i * a.step;
        const T* of_b = static_cast<const T*>(b.data) + i * b.step;
        int64_t b_row = b.row;
        // Reading past a row stays within the next matrix.
        const bool direct =
            b.col == 1 && (n == Columns || (i + 1 < count && b.step >= Columns - n));
        if (!direct) {
            widen<T, Columns>(panel, b, of_b, k, n);
            of_b = panel;
            b_row = Columns;
        }
        multiply_one<T, Columns>(of_a, a.row, a.col, of_b, b_row, out, m, n, k, end);
    }
}

/// Multiplies dense squares with unrolled loops.
template <class T, int Side>
void multiply_squares(T* out, const small_factor& a, const small_factor& b, int64_t count) {
    const T *of_a = static_cast<const T*>(a.data), *of_b = static_cast<const T*>(b.data);
    const T* end = out + count * Side * Side;
    for (; out < end; out += Side * Side, of_a += a.step, of_b += b.step)
        multiply_one<T, Side>(of_a, Side, 1, of_b, Side, out, Side, Side, Side, end);
}

/// Computes dot products of `Lines` pairs of k elements: vectors of lanes, folded by halves, plus
/// the remainder of k.
template <class T, int Lanes, int Lines>
[[gnu::always_inline]] inline void multiply_lines(T* out, const T* a, int64_t a_step, const T* b,
                                                  int64_t b_step, int64_t k) {
    typedef T vector [[gnu::vector_size(Lanes * sizeof(T))]];
    vector sum[Lines];
    T rest[Lines];
    for_each_of<Lines>([&](auto l) __attribute__((always_inline)) {
        sum[l] = vector{};
        rest[l] = T{0};
    });
    int64_t p = 0;
    for (; p + Lanes <= k; p += Lanes)
        for_each_of<Lines>([&](auto l) __attribute__((always_inline)) {
            vector x, y;
            std::memcpy(&x, a + l * a_step + p, sizeof x);
            std::memcpy(&y, b + l * b_step + p, sizeof y);
            sum[l] += x * y;
        });
    for (; p < k; ++p)
        for_each_of<Lines>([&](auto l) __attribute__((always_inline)) {
            rest[l] += a[l * a_step + p] * b[l * b_step + p];
        });
    for_each_of<Lines>([&](auto l) __attribute__((always_inline)) {
        if constexpr (Lanes == 8) {
            const auto half = __builtin_shufflevector(sum[l], sum[l], 0, 1, 2, 3) +
                              __builtin_shufflevector(sum[l], sum[l], 4, 5, 6, 7);
            out[l] = ((half[0] + half[2]) + (half[1] + half[3])) + rest[l];
        } else {
            out[l] = ((sum[l][0] + sum[l][2]) + (sum[l][1] + sum[l][3])) + rest[l];
        }
    });
}

/// Multiplies matrices by vectors; rows of the matrices and the vectors are dense.
template <class T, int Lanes>
void multiply_vectors(T* out, const small_factor& a, const small_factor& b, int64_t m, int64_t k,
                      int64_t count) {
    // Many one-row matrices are one matrix with a separate vector for each row.
    const int64_t matrices = m == 1 ? 1 : count, rows = m == 1 ? count : m;
    const int64_t a_row = m == 1 ? a.step : a.row, b_row = m == 1 ? b.step : 0;
    for (int64_t i = 0; i < matrices; ++i) {
        const T *of_a = static_cast<const T*>(a.data) + i * a.step,
                *of_b = static_cast<const T*>(b.data) + i * b.step;
        int64_t r = 0;
        for (; r + 4 <= rows; r += 4, out += 4)
            multiply_lines<T, Lanes, 4>(out, of_a + r * a_row, a_row, of_b + r * b_row, b_row, k);
        for (; r < rows; ++r, ++out)
            multiply_lines<T, Lanes, 1>(out, of_a + r * a_row, 0, of_b + r * b_row, 0, k);
    }
}

template <class T>
void any_width(void* out, const small_factor& a, const small_factor& b, int64_t m, int64_t n,
               int64_t k, int64_t count) {
    T* to = static_cast<T*>(out);
    if (n == 1) {
        if (a.col == 1 && b.row == 1) {
            if constexpr (sizeof(T) == 4)
                if (k % 8 == 0) return multiply_vectors<T, 8>(to, a, b, m, k, count);
            return multiply_vectors<T, 4>(to, a, b, m, k, count);
        }
        if (m > 1)  // computed as the transposed product
            return any_width<T>(out, {b.data, b.col, b.row, b.step}, {a.data, a.col, a.row, a.step},
                                1, m, k, count);
    }
    if (m == n && n == k && a.row == n && a.col == 1 && b.row == n && b.col == 1) {
        if (n == 4) return multiply_squares<T, 4>(to, a, b, count);
        if (n == 8) return multiply_squares<T, 8>(to, a, b, count);
        if (n == 16) return multiply_squares<T, 16>(to, a, b, count);
    }
    if (n <= 4) return multiply<T, 4>(to, a, b, m, n, k, count);
    if (n <= 8) return multiply<T, 8>(to, a, b, m, n, k, count);
    if (n <= 16) return multiply<T, 16>(to, a, b, m, n, k, count);
    if constexpr (sizeof(T) == 8)
        if (n <= 24) return multiply<T, 24>(to, a, b, m, n, k, count);
    multiply<T, small_matrix>(to, a, b, m, n, k, count);
}

}  // namespace

void fill_products(table& t) {
    t.float_product = any_width<float>;
    t.double_product = any_width<double>;
}

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
