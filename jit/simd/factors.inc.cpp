// LU and Cholesky factors of small matrices, and what is computed by them, a vector of matrices at
// a time: element (i, j) of all of them is one vector. LAPACK takes one matrix after the other, and
// spends most of the time of a small one on calls, on short loops and on their ends.
#include "jit/simd/interleaved.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {
namespace {

/// Below this a reciprocal may overflow.
template <class T>
constexpr T smallest = sizeof(T) == 4 ? T(1.17549435e-38) : T(2.2250738585072014e-308);

template <class T>
struct factors_of : interleaved<T> {
    using base = interleaved<T>;
    using base::all, base::any, base::lanes, base::load, base::magnitude, base::root, base::save,
        base::set_identity, base::swap_rows;
    using typename base::integer;
    using typename base::matrix;
    using typename base::vector;

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
        vector memory[most_rows * (most_rows + 1)];
        integer rows[most_rows], failed;
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
        vector memory[most_rows * (most_rows + 1)], right[(most_rows + 1) * width];
        integer rows[most_rows];
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
        vector memory[most_rows * (most_rows + 1)], result[most_rows * (most_rows + 1)];
        integer rows[most_rows], failed;
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
        vector memory[most_rows * (most_rows + 1)];
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
        vector memory[most_rows * (most_rows + 1)], right[(most_rows + 1) * width];
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

    static void fill(small_factor_fns& f) {
        f.lanes = lanes;
        f.lu = lu;
        f.lu_solve = lu_solve;
        f.inverse = inverse;
        f.cholesky = cholesky;
        f.cholesky_solve = cholesky_solve;
    }
};

}  // namespace

void fill_factors(table& t) {
    factors_of<float>::fill(t.float_factors);
    factors_of<double>::fill(t.double_factors);
}

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
