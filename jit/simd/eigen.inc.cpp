// Eigenvalues and vectors of small symmetric matrices, a vector of matrices at a time: Householder
// reflectors make them tridiagonal, and the implicit QR algorithm with Wilkinson's shifts makes
// those diagonal (Golub and Van Loan, Matrix Computations, 4th edition, 8.3; the steps are those of
// Dubrulle, Martin and Wilkinson, The implicit QL algorithm, Numerische Mathematik 12, 1968, in the
// other direction, since reflectors from the first column on leave large elements at the top).
// Each lane has its own shift and its own begin of the block in work; all of them wait for the
// slowest one before the next eigenvalue. Jacobi's rotations need no such waiting, but several
// times the arithmetic.
//
// A lane computes with nothing but its own elements: where only its neighbours have work, its
// numbers are kept by a choice, or rotated by 0 degrees.
#include "jit/simd/interleaved.hpp"

namespace sinter::block::SINTER_BLOCK_LEVEL {
namespace {

/// `exponent`: of a matrix's largest element after scaling. What is below `vanishing` has no
/// accurate square and becomes 0. Elements beside the diagonal below `negligible` become 0: a sweep
/// carries its shift on in products of two of them over a third one, perhaps the largest, and would
/// repeat itself if these had no accurate value. Both are far below a rounding error of the matrix.
template <class T>
struct format;
template <>
struct format<float> {
    static constexpr int mantissa = 23, bias = 127, exponent = 50;
    static constexpr float largest = 3.40282347e38F, epsilon = 0x1p-24F, vanishing = 0x1p-50F,
                           negligible = 0x1p-24F;
};
template <>
struct format<double> {
    static constexpr int mantissa = 52, bias = 1023, exponent = 400;
    static constexpr double largest = 1.7976931348623157e308, epsilon = 0x1p-53,
                            vanishing = 0x1p-480, negligible = 0x1p-270;
};

/// Sweeps for one eigenvalue. Two or three are usual, and 26 were seen where elements span all
/// exponents. LAPACK stops after 30 on average.
constexpr int most_sweeps = 60;

template <class T>
struct eigen_of : interleaved<T>, format<T> {
    using base = interleaved<T>;
    using base::all, base::lanes, base::load, base::magnitude, base::root, base::save,
        base::swap_rows;
    using typename base::integer;
    using typename base::matrix;
    using typename base::vector;
    using format<T>::mantissa, format<T>::bias, format<T>::exponent, format<T>::largest,
        format<T>::epsilon, format<T>::vanishing, format<T>::negligible;

    static constexpr vector zero{}, one = vector{} + T{1};
    static constexpr T vanishing_square = vanishing * vanishing;

    static int lowest(integer x) {
        int found = static_cast<int>(x[0]);
        for (int lane = 1; lane < lanes; ++lane)
            found = static_cast<int>(x[lane]) < found ? static_cast<int>(x[lane]) : found;
        return found;
    }

    /// Scales the lower triangle of each matrix by a power of two, and returns what undoes it.
    /// A matrix with elements that are not finite is `broken`, and becomes 0, for which no other
    /// one waits.
    static vector scale(const matrix& a, integer& broken) {
        const int n = a.rows;
        vector size{};
        broken = integer{};
        for (int j = 0; j < n; ++j)
            for (int i = j; i < n; ++i) {
                const vector x = magnitude(a.column(j)[i]);
                size = x > size ? x : size;
                broken |= ~(x <= largest);
            }
        const integer wanted =
            exponent + 2 * bias - (__builtin_bit_cast(integer, size) >> mantissa);
        const integer power = wanted < 2 * bias ? wanted : all(2 * bias);
        const auto factor = __builtin_bit_cast(vector, power << mantissa);
        for (int j = 0; j < n; ++j)
            for (int i = j; i < n; ++i) {
                vector& x = a.column(j)[i];
                x = broken ? zero : x * factor;
            }
        return T{1} / factor;
    }

    /// Leaves the diagonal in d, what is left of it in e, and below it the reflectors, which are
    /// I - tau v v^T; the first element of each v is 1.
    static void make_tridiagonal(const matrix& a, vector* d, vector* e, vector* tau) {
        const int n = a.rows;
        for (int k = 0; k + 2 < n; ++k) {
            vector* v = a.column(k);
            const vector first = v[k + 1];
            vector rest{};
            for (int i = k + 2; i < n; ++i) rest += v[i] * v[i];
            const integer done = rest < vanishing_square;
            const vector length = root(first * first + rest);
            const vector reflected = first < T{0} ? length : -length;
            const vector factor = done ? zero : T{1} / (first - reflected);
            tau[k] = done ? zero : (reflected - first) / reflected;
            d[k] = v[k];
            e[k + 1] = done ? first : reflected;
            v[k + 1] = one;
            for (int i = k + 2; i < n; ++i) v[i] *= factor;
            reflect(a, k, tau[k]);
        }
        for (int k = n > 2 ? n - 2 : 0; k < n; ++k) {
            d[k] = a.column(k)[k];
            if (k + 1 < n) e[k + 1] = a.column(k)[k + 1];
        }
    }

    /// Applies reflector k from both sides to the rows and columns after k: a -= v w^T + w v^T.
    static void reflect(const matrix& a, int k, vector tau) {
        const int n = a.rows;
        const vector* v = a.column(k);
        vector w[most_rows];
        for (int i = k + 1; i < n; ++i) w[i] = zero;
        for (int j = k + 1; j < n; ++j) {
            const vector* column = a.column(j);
            const vector factor = v[j];
            vector sum = column[j] * factor;
            for (int i = j + 1; i < n; ++i) {
                w[i] += column[i] * factor;
                sum += column[i] * v[i];
            }
            w[j] += sum;
        }
        vector product{};
        for (int i = k + 1; i < n; ++i) {
            w[i] *= tau;
            product += w[i] * v[i];
        }
        const vector half = T(0.5) * tau * product;
        for (int i = k + 1; i < n; ++i) w[i] -= half * v[i];
        for (int j = k + 1; j < n; ++j) {
            vector* column = a.column(j);
            const vector of_v = v[j], of_w = w[j];
            for (int i = j; i < n; ++i) column[i] -= v[i] * of_w + w[i] * of_v;
        }
    }

    /// Multiplies the reflectors, last one first, in their own memory.
    static void multiply_reflectors(const matrix& a, const vector* tau) {
        const int n = a.rows;
        a.column(n - 1)[n - 1] = one;
        for (int k = n - 2; k >= 0; --k) {
            // The product has the rows and columns after k, so column k holds the next reflector,
            // whose part in row k itself is that of the identity.
            if (k > 0) {
                const vector* v = a.column(k - 1);
                const vector factor = tau[k - 1];
                for (int j = k + 1; j < n; ++j) {
                    vector* column = a.column(j);
                    vector sum{};
                    for (int i = k + 1; i < n; ++i) sum += column[i] * v[i];
                    sum *= factor;
                    column[k] = -sum;
                    for (int i = k + 1; i < n; ++i) column[i] -= sum * v[i];
                }
                a.column(k)[k] = T{1} - factor;
                for (int i = k + 1; i < n; ++i) a.column(k)[i] = -(factor * v[i]);
            } else {
                for (int j = 1; j < n; ++j) a.column(0)[j] = a.column(j)[0] = zero;
                a.column(0)[0] = one;
            }
        }
    }

    /// One sweep of rotations over rows begin..last of each lane where begin < last; `least` is the
    /// smallest begin, and `start` what the first rotation of a lane removes. `vectors`: null, or
    /// what is multiplied by the rotations.
    static void sweep(vector* d, vector* e, int last, integer begin, int least, vector start,
                      const matrix* vectors) {
        vector g = start, s = one, c = one, p{};
        for (int i = least; i < last; ++i) {
            const integer here = begin <= all(i);
            const vector f = s * e[i + 1], b = c * e[i + 1];
            const vector square = f * f + g * g;
            const vector r = root(square);
            const integer none = square < vanishing_square;
            const vector reciprocal = T{1} / r;
            const vector sine = none ? zero : f * reciprocal, cosine = none ? one : g * reciprocal;
            const vector above = d[i] - p;
            const vector t = (d[i + 1] - above) * sine + T{2} * cosine * b;
            const vector moved = sine * t;
            const vector left = (none | (begin == all(i))) ? zero : r;
            e[i] = here ? left : e[i];
            d[i] = here ? above + moved : d[i];
            p = here ? moved : p;
            g = here ? cosine * t - b : g;
            s = here ? sine : s;
            c = here ? cosine : c;
            if (!vectors) continue;
            const vector by_s = here ? sine : zero, by_c = here ? cosine : one;
            vector *x = vectors->column(i), *y = vectors->column(i + 1);
            for (int k = 0; k < vectors->rows; ++k) {
                const vector old = x[k];
                x[k] = by_c * old + by_s * y[k];
                y[k] = by_c * y[k] - by_s * old;
            }
        }
        const integer changed = begin < all(last);
        d[last] = changed ? d[last] - p : d[last];
        e[last] = changed ? g : e[last];
    }

    /// Makes tridiagonal matrices diagonal. Returns the lanes where that failed.
    static integer make_diagonal(vector* d, vector* e, int n, const matrix* vectors) {
        integer failed{};
        for (int k = n - 1; k > 0; --k)
            for (int tried = 0;; ++tried) {
                // The block begins after the last element left of the diagonal that is small.
                integer begin{};
                vector first = d[0];
                for (int i = 1; i <= k; ++i) {
                    const vector left = magnitude(e[i]);
                    const integer small =
                        (left <= epsilon * (magnitude(d[i - 1]) + magnitude(d[i]))) |
                        (left <= negligible);
                    begin = small ? all(i) : begin;
                    first = small ? d[i] : first;
                }
                if (tried == most_sweeps) failed |= begin < all(k);
                begin = failed ? all(k) : begin;
                const int least = lowest(begin);
                if (least == k) break;
                const vector g = (d[k - 1] - d[k]) / (T{2} * e[k]);
                const vector r = root(g * g + T{1});
                const vector start = first - (d[k] - e[k] / (g < T{0} ? g - r : g + r));
                sweep(d, e, k, begin, least, start, vectors);
            }
        return failed;
    }

    /// Sorts values, and the columns of vectors with them.
    static void sort(vector* d, int n, const matrix* vectors) {
        for (int k = 0; k + 1 < n; ++k) {
            const vector old = d[k];
            vector best = old;
            integer at = all(k);
            for (int i = k + 1; i < n; ++i) {
                const integer smaller = d[i] < best;
                best = smaller ? d[i] : best;
                at = smaller ? all(i) : at;
            }
            d[k] = best;
            for (int i = k + 1; i < n; ++i) d[i] = at == all(i) ? old : d[i];
            if (vectors) swap_rows(*vectors, n, k, at, true);
        }
    }

    static void eigen(void* const* a, int ld, int n, bool upper, bool vectors, void* const* values,
                      int* const* info, int count) {
        vector memory[most_rows * (most_rows + 1)], d[most_rows], e[most_rows], tau[most_rows];
        const matrix m{memory, n}, in_d{d, n};
        load(m, n, a, ld, count, upper);
        integer broken;
        const vector factor = scale(m, broken);
        make_tridiagonal(m, d, e, tau);
        if (vectors) multiply_reflectors(m, tau);
        const integer failed = make_diagonal(d, e, n, vectors ? &m : nullptr);
        sort(d, n, vectors ? &m : nullptr);
        for (int i = 0; i < n; ++i) d[i] *= factor;
        save(in_d, 1, values, n, count);
        if (vectors) {
            // Rotations by 0 degrees may have changed the signs of zeros.
            for (int j = 0; j < n; ++j)
                for (int i = 0; i < n; ++i) m.column(j)[i] += T{0};
            save(m, n, a, ld, count);
        }
        for (int lane = 0; lane < count; ++lane) {
            int left = 0;
            for (int i = 1; failed[lane] && i < n; ++i) left += e[i][lane] != 0;
            *info[lane] = broken[lane] ? -1 : left;
        }
    }
};

}  // namespace

void fill_eigen(table& t) {
    t.float_factors.eigen = eigen_of<float>::eigen;
    t.double_factors.eigen = eigen_of<double>::eigen;
}

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
