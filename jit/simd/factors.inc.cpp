// LU and Cholesky factors of small matrices, and what is computed by them, a vector of matrices at
// a time: element (i, j) of all of them is one vector. LAPACK takes one matrix after the other, and
// spends most of the time of a small one on calls, on short loops and on their ends.
#include "jit/simd/table.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {
namespace {

/// Below this a reciprocal may overflow.
template <class T>
constexpr T smallest = sizeof(T) == 4 ? T(1.17549435e-38) : T(2.2250738585072014e-308);

constexpr int most = static_cast<int>(small_matrix);

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

    /// Gaussian elimination with partial pivoting, by columns. info: the first pivot that is 0,
    /// counted from 1.
    static void factor(const matrix& a, integer* pivots, integer& info) {
        const int n = a.rows;
        info = integer{};
        for (int k = 0; k < n; ++k) {
            vector* column = a.column(k);
            vector best = magnitude(column[k]);
            integer at = all(k);
            for (int i = k + 1; i < n; ++i) {
                const vector size = magnitude(column[i]);
                const integer larger = size > best;
                best = larger ? size : best;
                at = larger ? all(i) : at;
            }
            pivots[k] = at;
            swap_rows(a, n, k, at);
            const integer zero = column[k] == T{0};
            info = (zero & (info == 0)) ? all(k + 1) : info;
            const vector pivot = zero ? vector{} + T{1} : column[k];
            if (any(magnitude(pivot) < smallest<T>)) {
                for (int i = k + 1; i < n; ++i) column[i] /= pivot;
            } else {
                const vector reciprocal = T{1} / pivot;
                for (int i = k + 1; i < n; ++i) column[i] *= reciprocal;
            }
            for (int j = k + 1; j < n; ++j) {
                vector* other = a.column(j);
                const vector factor = other[k];
                for (int i = k + 1; i < n; ++i) other[i] -= column[i] * factor;
            }
        }
    }

    /// x = inverse(a) x, for a triangle of `a` or its transpose.
    /// `identity`: what is above the diagonal of x is 0 and stays 0.
    static void solve_lower(const matrix& a, const matrix& x, int columns, bool unit,
                            bool identity = false) {
        const int n = a.rows;
        for (int c = 0; c < columns; ++c) {
            vector* b = x.column(c);
            for (int j = identity ? c : 0; j < n; ++j) {
                if (!unit) b[j] /= a.column(j)[j];
                for (int i = j + 1; i < n; ++i) b[i] -= a.column(j)[i] * b[j];
            }
        }
    }
    static void solve_upper(const matrix& a, const matrix& x, int columns) {
        for (int c = 0; c < columns; ++c) {
            vector* b = x.column(c);
            for (int j = a.rows; j-- > 0;) {
                b[j] /= a.column(j)[j];
                for (int i = 0; i < j; ++i) b[i] -= a.column(j)[i] * b[j];
            }
        }
    }
    static void solve_lower_transposed(const matrix& a, const matrix& x, int columns, bool unit) {
        const int n = a.rows;
        for (int c = 0; c < columns; ++c) {
            vector* b = x.column(c);
            for (int j = n; j-- > 0;) {
                vector sum = b[j];
                for (int i = j + 1; i < n; ++i) sum -= a.column(j)[i] * b[i];
                b[j] = unit ? sum : sum / a.column(j)[j];
            }
        }
    }
    static void solve_upper_transposed(const matrix& a, const matrix& x, int columns) {
        for (int c = 0; c < columns; ++c) {
            vector* b = x.column(c);
            for (int j = 0; j < a.rows; ++j) {
                vector sum = b[j];
                for (int i = 0; i < j; ++i) sum -= a.column(j)[i] * b[i];
                b[j] = sum / a.column(j)[j];
            }
        }
    }

    /// info: the first leading minor that is not positive, counted from 1.
    static void factor_positive(const matrix& a, integer& info) {
        const int n = a.rows;
        info = integer{};
        for (int k = 0; k < n; ++k) {
            vector* column = a.column(k);
            const integer good = column[k] > T{0};
            info = (~good & (info == 0)) ? all(k + 1) : info;
            column[k] = root(good ? column[k] : vector{} + T{1});
            const vector reciprocal = T{1} / column[k];
            for (int i = k + 1; i < n; ++i) column[i] *= reciprocal;
            for (int j = k + 1; j < n; ++j) {
                vector* other = a.column(j);
                const vector factor = column[j];
                for (int i = j; i < n; ++i) other[i] -= column[i] * factor;
            }
        }
    }

    // ---- the functions of the table

    static void lu(void* const* a, int ld, int n, int* const* pivots, int* const* info, int count) {
        vector memory[most * (most + 1)];
        integer rows[most], failed;
        const matrix m{memory, n};
        load(m, n, a, ld, count);
        factor(m, rows, failed);
        save(m, n, a, ld, count);
        for (int lane = 0; lane < count; ++lane) {
            for (int k = 0; k < n; ++k) pivots[lane][k] = static_cast<int>(rows[k][lane]) + 1;
            *info[lane] = static_cast<int>(failed[lane]);
        }
    }

    static void lu_solve(const void* const* a, int ld, int n, const int* const* pivots,
                         void* const* b, int ldb, int columns, bool transposed, int count) {
        constexpr int width = 8;  // columns at a time
        vector memory[most * (most + 1)], right[(most + 1) * width];
        integer rows[most];
        const matrix m{memory, n}, x{right, n};
        load(m, n, a, ld, count);
        for (int k = 0; k < n; ++k)
            for (int lane = 0; lane < lanes; ++lane)
                rows[k][lane] = lane < count ? pivots[lane][k] - 1 : k;
        for (int first = 0; first < columns; first += width) {
            const int some = columns - first < width ? columns - first : width;
            void* parts[lanes];
            for (int lane = 0; lane < count; ++lane)
                parts[lane] = static_cast<T*>(b[lane]) + int64_t{first} * ldb;
            load(x, some, parts, ldb, count);
            if (transposed) {
                solve_upper_transposed(m, x, some);
                solve_lower_transposed(m, x, some, true);
                for (int k = n; k-- > 0;) swap_rows(x, some, k, rows[k]);
            } else {
                for (int k = 0; k < n; ++k) swap_rows(x, some, k, rows[k]);
                solve_lower(m, x, some, true);
                solve_upper(m, x, some);
            }
            save(x, some, parts, ldb, count);
        }
    }

    static void inverse(void* const* a, int ld, int n, int* const* info, int count) {
        vector memory[most * (most + 1)], result[most * (most + 1)];
        integer rows[most], failed;
        const matrix m{memory, n}, x{result, n};
        load(m, n, a, ld, count);
        factor(m, rows, failed);
        set_identity(x);
        solve_lower(m, x, n, true, true);
        solve_upper(m, x, n);
        for (int k = n; k-- > 0;) swap_rows(x, n, k, rows[k], true);
        save(x, n, a, ld, count);
        for (int lane = 0; lane < count; ++lane) *info[lane] = static_cast<int>(failed[lane]);
    }

    static void cholesky(void* const* a, int ld, int n, bool upper, int* const* info, int count) {
        vector memory[most * (most + 1)];
        integer failed;
        const matrix m{memory, n};
        load(m, n, a, ld, count, upper);
        factor_positive(m, failed);
        for (int j = 1; j < n; ++j)
            for (int i = 0; i < j; ++i) m.column(j)[i] = vector{};
        save(m, n, a, ld, count, upper);
        for (int lane = 0; lane < count; ++lane) *info[lane] = static_cast<int>(failed[lane]);
    }

    static void cholesky_solve(const void* const* a, int ld, int n, bool upper, void* const* b,
                               int ldb, int columns, int count) {
        constexpr int width = 8;
        vector memory[most * (most + 1)], right[(most + 1) * width];
        const matrix m{memory, n}, x{right, n};
        load(m, n, a, ld, count, upper);
        for (int first = 0; first < columns; first += width) {
            const int some = columns - first < width ? columns - first : width;
            void* parts[lanes];
            for (int lane = 0; lane < count; ++lane)
                parts[lane] = static_cast<T*>(b[lane]) + int64_t{first} * ldb;
            load(x, some, parts, ldb, count);
            solve_lower(m, x, some, false);
            solve_lower_transposed(m, x, some, false);
            save(x, some, parts, ldb, count);
        }
    }

    static constexpr small_factor_fns functions{lanes,   lu,       lu_solve,
                                                inverse, cholesky, cholesky_solve};
};

}  // namespace

void fill_factors(table& t) {
    t.float_factors = interleaved<float>::functions;
    t.double_factors = interleaved<double>::functions;
}

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
