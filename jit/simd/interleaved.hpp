// Matrices of a batch side by side, as vectors of one element each. Included by the sources of a
// level only, which compile products and sums by different rules: here is none, since the linker
// keeps one copy of what they share.
#pragma once

#include "jit/simd/table.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {

/// Most rows of a matrix.
inline constexpr int most_rows = static_cast<int>(small_matrix);

template <class T>
struct interleaved {
    static constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
    typedef T vector [[gnu::vector_size(vector_bytes)]];
    using integer = decltype(vector{} < vector{});  // lanes of 0 and -1, or of row numbers

    static integer all(int i) { return integer{} + i; }
    static vector magnitude(vector x) { return x < T{0} ? -x : x; }
    static bool any(integer m) {
        bool found = false;
        for (int lane = 0; lane < lanes; ++lane) found |= m[lane] != 0;
        return found;
    }
    static vector root(vector x) {
        vector r;
        for (int lane = 0; lane < lanes; ++lane)
            r[lane] = sizeof(T) == 4 ? T(__builtin_sqrtf(static_cast<float>(x[lane])))
                                     : T(__builtin_sqrt(static_cast<double>(x[lane])));
        return r;
    }

    /// The matrices of one call, by columns. Lanes without a matrix hold the identity.
    struct matrix {
        vector* elements;
        int rows;
        // An even number of vectors between columns would put rows in few sets of the cache.
        vector* column(int j) const { return elements + j * (rows | 1); }
        vector& at(int outer, int inner, bool transposed) const {
            return transposed ? column(inner)[outer] : column(outer)[inner];
        }
    };

    // Four matrices at a time, four elements of each.
    static constexpr bool by_fours = lanes >= 4;
    typedef T four [[gnu::vector_size(4 * sizeof(T))]];
    // As a type of its own: a copy of its bytes may take two halves, and then wait for both.
    typedef T four_at [[gnu::vector_size(4 * sizeof(T)), gnu::aligned(sizeof(T)), gnu::may_alias]];
    static void transpose(four (&x)[4]) {
        if constexpr (sizeof(T) == 8) {  // elements of AVX2 registers stay in their halves at first
            const four a = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6),
                       b = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6),
                       c = __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7),
                       d = __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
            x[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
            x[1] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
            x[2] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
            x[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
        } else {
            const four a = __builtin_shufflevector(x[0], x[1], 0, 4, 1, 5),
                       b = __builtin_shufflevector(x[2], x[3], 0, 4, 1, 5),
                       c = __builtin_shufflevector(x[0], x[1], 2, 6, 3, 7),
                       d = __builtin_shufflevector(x[2], x[3], 2, 6, 3, 7);
            x[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
            x[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
            x[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
            x[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
        }
    }
    static four_at* lanes_of(vector& x, int lane) {
        return reinterpret_cast<four_at*>(reinterpret_cast<T*>(&x) + lane);
    }

    /// Copies `outer` runs of `inner` contiguous elements of each matrix, which are columns of `m`,
    /// or rows if `transposed`. `Loads`: from the matrices a[lane] to `m`.
    template <bool Loads, class Pointer>
    static void copy(const matrix& m, int outer, int inner, const Pointer* a, int64_t ld, int count,
                     bool transposed) {
        for (int o = 0; o < outer; ++o) {
            int lane = 0;
            for (; by_fours && lane + 4 <= count; lane += 4) {
                int i = 0;
                for (; i + 4 <= inner; i += 4) {
                    four x[4];
                    for (int k = 0; k < 4; ++k)
                        x[k] = Loads ? *reinterpret_cast<const four_at*>(
                                           element(a[lane + k], o * ld + i))
                                     : *lanes_of(m.at(o, i + k, transposed), lane);
                    transpose(x);
                    for (int k = 0; k < 4; ++k) {
                        if constexpr (Loads)
                            *lanes_of(m.at(o, i + k, transposed), lane) = x[k];
                        else
                            *reinterpret_cast<four_at*>(element(a[lane + k], o * ld + i)) = x[k];
                    }
                }
                for (; i < inner; ++i)
                    for (int k = lane; k < lane + 4; ++k)
                        copy_one<Loads>(m.at(o, i, transposed), k, element(a[k], o * ld + i));
            }
            for (; lane < count; ++lane)
                for (int i = 0; i < inner; ++i)
                    copy_one<Loads>(m.at(o, i, transposed), lane, element(a[lane], o * ld + i));
        }
    }
    static const T* element(const void* a, int64_t at) { return static_cast<const T*>(a) + at; }
    static T* element(void* a, int64_t at) { return static_cast<T*>(a) + at; }
    template <bool Loads, class Element>
    static void copy_one(vector& x, int lane, Element* memory) {
        if constexpr (Loads)
            x[lane] = *memory;
        else
            *memory = x[lane];
    }

    static void load(const matrix& to, int columns, const void* const* from, int64_t ld, int count,
                     bool transposed = false) {
        if (count < lanes)
            for (int j = 0; j < columns; ++j)
                for (int i = 0; i < to.rows; ++i) to.column(j)[i] = vector{} + T(i == j);
        copy<true>(to, columns, to.rows, from, ld, count, transposed);
    }
    static void save(const matrix& from, int columns, void* const* to, int64_t ld, int count,
                     bool transposed = false) {
        copy<false>(from, columns, from.rows, to, ld, count, transposed);
    }
    static void set_identity(const matrix& a) {
        for (int j = 0; j < a.rows; ++j)
            for (int i = 0; i < a.rows; ++i) a.column(j)[i] = vector{} + T(i == j);
    }

    /// Swaps row k of each matrix with its row at[k]; or the columns of these numbers.
    static void swap_rows(const matrix& a, int columns, int k, integer at,
                          bool transposed = false) {
        uint32_t used = 0;  // the rows that some matrix swaps
        for (int lane = 0; lane < lanes; ++lane) used |= uint32_t{1} << at[lane];
        used &= ~(uint32_t{1} << k);
        for (; used; used &= used - 1) {
            const int i = __builtin_ctz(used);
            const integer here = at == all(i);
            for (int j = 0; j < columns; ++j) {
                vector &x = a.at(j, k, transposed), &y = a.at(j, i, transposed);
                const vector old = x;
                x = here ? y : x;
                y = here ? old : y;
            }
        }
    }
};

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
