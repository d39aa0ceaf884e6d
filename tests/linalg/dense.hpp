// Small dense matrices of doubles with arithmetic in plain loops, independent of the library's
// products. Results of linear algebra are compared with them.
#pragma once

#include <sinter/sinter.hpp>

#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace sinter::test {

/// Row-major. Real and imaginary parts are separate; the latter are empty in a real matrix.
struct dense {
    int64_t rows = 0, cols = 0;
    std::vector<double> re, im;

    dense() = default;
    dense(int64_t m, int64_t n, bool is_complex = false);
    bool is_complex() const { return !im.empty(); }
    std::complex<double> at(int64_t i, int64_t j) const;
    void set(int64_t i, int64_t j, std::complex<double> x);
};

dense eye_of(int64_t n);
dense operator*(const dense& a, const dense& b);
dense operator+(const dense& a, const dense& b);
dense operator-(const dense& a, const dense& b);
dense operator*(double scale, const dense& a);
dense transposed(const dense& a);
dense adjoint(const dense& a);
/// The upper or lower triangle; `unit`: with ones on the diagonal.
dense triangle(const dense& a, bool upper, bool unit = false);
/// The triangle mirrored, and conjugated if `hermitian`.
dense mirrored(const dense& a, bool upper, bool hermitian);
/// Multiplies each column by a number of the vector `w` (n x 1).
dense columns_times(const dense& a, const dense& w);
dense first_columns(const dense& a, int64_t n);
/// Returns the largest sum of a column; infinite if there is a NaN.
double norm1(const dense& a);

/// Returns residual / (size * n * u), where u is the unit roundoff of a dtype; LAPACK's tests
/// require less than 30.
double ratio(double residual, double size, int64_t n, ScalarType dtype);
/// Returns ||I - Q^H Q|| / (n u) of a matrix with at least as many rows as columns.
double not_orthonormal(const dense& q, ScalarType dtype);

inline constexpr double lapack_threshold = 30;
/// For the vendors' batched Jacobi methods: cuSOLVER's has 33 for one of 400 matrices of 3 rows.
inline constexpr double jacobi_threshold = 60;

/// The memory layout of a tensor: row-major, column-major, every second row and column of a larger
/// one, or one matrix for the whole batch.
enum class lies { rows, columns, stepped, expanded };
inline constexpr lies all_lies[] = {lies::rows, lies::columns, lies::stepped, lies::expanded};

/// Returns a tensor (batch..., m, n) of matrices of equal sizes.
Tensor tensor_of(const std::vector<dense>& matrices, IntArrayRef batch, ScalarType dtype,
                 lies how = lies::rows);
inline Tensor tensor_of(const dense& matrix, ScalarType dtype, lies how = lies::rows) {
    return tensor_of(std::vector<dense>{matrix}, {}, dtype,
                     how == lies::expanded ? lies::rows : how);
}
/// Returns its matrices in order.
std::vector<dense> matrices_of(const Tensor& t);
dense matrix_of(const Tensor& t);
/// Returns the columns of a tensor (batch..., n).
std::vector<dense> vectors_of(const Tensor& t);

inline constexpr ScalarType matrix_dtypes[] = {kFloat, kDouble, kComplexFloat, kComplexDouble};

// ---- matrices
class gallery {
public:
    explicit gallery(uint64_t seed) : random_(seed) {}

    /// Uniform in [-1, 1], in both parts of a complex one.
    dense any(int64_t m, int64_t n, ScalarType dtype);
    std::vector<dense> many(int64_t count, int64_t m, int64_t n, ScalarType dtype);
    /// Hermitian; positive definite.
    dense hermitian(int64_t n, ScalarType dtype);
    dense positive(int64_t n, ScalarType dtype);
    /// Orthonormal columns, from reflections of the identity.
    dense unitary(int64_t n, ScalarType dtype);
    /// Singular values from 1 to 1 / condition, evenly spaced in their logarithms.
    dense conditioned(int64_t m, int64_t n, double condition, ScalarType dtype);
    /// A matrix of a rank below min(m, n).
    dense of_rank(int64_t m, int64_t n, int64_t rank, ScalarType dtype);

private:
    std::mt19937_64 random_;
};

dense hilbert(int64_t n);
dense vandermonde(int64_t n);
/// Returns `a` with row i scaled by factor^i.
dense graded(const dense& a, double factor);
/// A block with one eigenvalue and one eigenvector.
dense jordan(int64_t n, double eigenvalue);
/// Tridiagonal, with pairs of eigenvalues that differ only beyond the last digit.
dense wilkinson(int64_t n);
/// Gaussian elimination doubles the last column of this matrix at each step.
dense growing(int64_t n);
dense constant(int64_t m, int64_t n, double x);

}  // namespace sinter::test
