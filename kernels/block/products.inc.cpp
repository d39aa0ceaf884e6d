// Products of small matrices, for which a call of BLAS costs more than the product.
#include "kernels/block/table.hpp"

#include <cstring>

namespace sinter::block::SINTER_BLOCK_LEVEL {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32;
#else
constexpr int vector_bytes = 16;
#endif

/// Columns that are summed side by side: `count` vectors of `width` elements.
template <class T, int Columns>
struct line {
    static constexpr int most = vector_bytes / static_cast<int>(sizeof(T));
    static constexpr int width = Columns < most ? Columns : most;
    static constexpr int count = Columns / width;
    typedef T vector [[gnu::vector_size(width * sizeof(T))]];
};

/// Rows of the product; sums stay in registers. b's rows can be read to `Columns`. So far from
/// `end`, where the output ends, a row is stored with what lies behind its n elements: the row
/// after it is stored later.
template <class T, int Columns, int Rows>
[[gnu::always_inline]] inline void multiply_rows(const T* a, int64_t a_row, int64_t a_col,
                                                 const T* b, int64_t b_row, int64_t k, T* out,
                                                 int64_t n, const T* end) {
    using line = block::SINTER_BLOCK_LEVEL::line<T, Columns>;
    typename line::vector sum[Rows][line::count] = {};
    for (int64_t p = 0; p < k; ++p) {
        typename line::vector of_b[line::count];
        for (int c = 0; c < line::count; ++c)
            std::memcpy(&of_b[c], b + p * b_row + c * line::width, sizeof of_b[c]);
        for (int r = 0; r < Rows; ++r)
            for (int c = 0; c < line::count; ++c) sum[r][c] += a[r * a_row + p * a_col] * of_b[c];
    }
    for (int r = 0; r < Rows; ++r, out += n) {
        if (end - out >= Columns)
            std::memcpy(out, sum[r], sizeof sum[r]);
        else
            std::memcpy(out, sum[r], static_cast<std::size_t>(n) * sizeof(T));
    }
}

/// b's rows, each with zeros behind it to be `Columns` long.
template <class T, int Columns>
void widen(T* panel, const small_factor& b, const T* from, int64_t k, int64_t n) {
    for (int64_t p = 0; p < k; ++p)
        for (int64_t c = 0; c < Columns; ++c)
            panel[p * Columns + c] = c < n ? from[p * b.row + c * b.col] : T{0};
}

template <class T, int Columns>
void multiply(T* out, const small_factor& a, const small_factor& b, int64_t m, int64_t n, int64_t k,
              int64_t count) {
    constexpr int many = line<T, Columns>::count == 1 ? 8 : line<T, Columns>::count == 2 ? 4 : 2;
    constexpr int some = many < 4 ? many : 4;
    const T* end = out + count * m * n;
    T panel[Columns * small_matrix];
    for (int64_t i = 0; i < count; ++i, out += m * n) {
        const T* of_a = static_cast<const T*>(a.data) + i * a.step;
        const T* of_b = static_cast<const T*>(b.data) + i * b.step;
        int64_t b_row = b.row;
        // What is read behind a row lies in the next matrix at the latest.
        const bool direct =
            b.col == 1 && (n == Columns || (i + 1 < count && b.step >= Columns - n));
        if (!direct) {
            widen<T, Columns>(panel, b, of_b, k, n);
            of_b = panel;
            b_row = Columns;
        }
        int64_t r = 0;
        for (; r + many <= m; r += many)
            multiply_rows<T, Columns, many>(of_a + r * a.row, a.row, a.col, of_b, b_row, k,
                                            out + r * n, n, end);
        for (; r + some <= m; r += some)
            multiply_rows<T, Columns, some>(of_a + r * a.row, a.row, a.col, of_b, b_row, k,
                                            out + r * n, n, end);
        for (; r < m; ++r)
            multiply_rows<T, Columns, 1>(of_a + r * a.row, a.row, a.col, of_b, b_row, k,
                                         out + r * n, n, end);
    }
}

template <class T>
void any_width(void* out, const small_factor& a, const small_factor& b, int64_t m, int64_t n,
               int64_t k, int64_t count) {
    T* to = static_cast<T*>(out);
    if (n <= 4) return multiply<T, 4>(to, a, b, m, n, k, count);
    if (n <= 8) return multiply<T, 8>(to, a, b, m, n, k, count);
    multiply<T, small_matrix>(to, a, b, m, n, k, count);
}

}  // namespace

void fill_products(table& t) {
    t.float_product = any_width<float>;
    t.double_product = any_width<double>;
}

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
