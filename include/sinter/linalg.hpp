// Linear algebra: decompositions, systems, norms and what is made of them. torch.linalg's names, as
// `linalg_xxx(...)` and as `linalg::xxx(...)`.
//
// Matrices are the last two dimensions, (m, n); all before them are the batch, of any number and
// size, and broadcast where there are two. Float, Double, ComplexFloat and ComplexDouble; H stands
// for the conjugate transpose, k for min(m, n). Matrices may be empty. The work is LAPACK's.
//
// What may fail for its values runs at its line and throws LinAlgError there, which names the first
// bad matrix of the batch, what LAPACK found, and the line. Everything else here is pending:
// library calls, and fused kernels around them. `_ex` forms are pending and give LAPACK's `info`
// (Int, one a matrix, 0 where all is well) instead of throwing, unless `check_errors`.
//
// Results of LAPACK lie as it leaves them, which may be by columns. `_out` forms resize an output
// that has other sizes, and convert to its dtype where that loses no kind of number.
#pragma once

#include <sinter/tensor.hpp>
#include <sinter/tensor_list.hpp>

#include <source_location>

namespace sinter::inline v1 {

/// Where a call was written. Never given by hand.
using source_line = std::source_location;
#define SINTER_LINE const source_line& line = source_line::current()

// One row a function: its declaration and its form in `linalg`.
#define SINTER_LINALG(Result, name, parameters, arguments)            \
    SINTER_API Result linalg_##name parameters;                       \
    namespace linalg {                                                \
    inline Result name parameters { return linalg_##name arguments; } \
    }

/// A norm's name. Not made of 0, which is an order as well as a null pointer.
class named_norm {
public:
    template <class S>
        requires(std::is_convertible_v<const S&, std::string_view> && !std::is_null_pointer_v<S>)
    named_norm(const S& name) : name_(name) {}           // NOLINT: as a text
    operator std::string_view() const { return name_; }  // NOLINT

private:
    std::string_view name_;
};

namespace detail {
template <class T>
concept tolerance_number = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;
using two_tensors = std::tuple<Tensor, Tensor>;
using three_tensors = std::tuple<Tensor, Tensor, Tensor>;
using four_tensors = std::tuple<Tensor, Tensor, Tensor, Tensor>;
using two_outs = std::tuple<Tensor&, Tensor&>;
using three_outs = std::tuple<Tensor&, Tensor&, Tensor&>;
using four_outs = std::tuple<Tensor&, Tensor&, Tensor&, Tensor&>;
}  // namespace detail

// ---- linear systems (LU with partial pivoting: getrf, getrs)
/// X of A X = B, or of X A = B if not `left`. A (..., n, n) is regular; B is (..., n, k), or
/// vectors: (n), or A's sizes without the last one. At its line.
SINTER_LINALG(Tensor, solve,
              (const tensor_base& A, const tensor_base& B, bool left = true, SINTER_LINE),
              (A, B, left, line))
SINTER_LINALG(Tensor&, solve_out,
              (Tensor & result, const Tensor& A, const Tensor& B, bool left = true, SINTER_LINE),
              (result, A, B, left, line))
/// The same and info: pending.
SINTER_LINALG(detail::two_tensors, solve_ex,
              (const tensor_base& A, const tensor_base& B, bool left = true,
               bool check_errors = false, SINTER_LINE),
              (A, B, left, check_errors, line))
SINTER_LINALG(detail::two_outs, solve_ex_out,
              (Tensor & result, Tensor& info, const Tensor& A, const Tensor& B, bool left = true,
               bool check_errors = false, SINTER_LINE),
              (result, info, A, B, left, check_errors, line))
/// X of A X = B (or X A = B) for a triangular A, of which only that triangle is read; with
/// `unitriangular` its diagonal counts as ones. Pending (BLAS trsm); a zero on the diagonal gives
/// infinities or NaN, and no error.
SINTER_LINALG(Tensor, solve_triangular,
              (const tensor_base& A, const tensor_base& B, bool upper, bool left = true,
               bool unitriangular = false),
              (A, B, upper, left, unitriangular))
SINTER_LINALG(Tensor&, solve_triangular_out,
              (Tensor & result, const Tensor& A, const Tensor& B, bool upper, bool left = true,
               bool unitriangular = false),
              (result, A, B, upper, left, unitriangular))

// ---- inverses
/// A (..., n, n). At its line (getrf, getri).
SINTER_LINALG(Tensor, inv, (const tensor_base& A, SINTER_LINE), (A, line))
SINTER_LINALG(Tensor&, inv_out, (Tensor & result, const Tensor& A, SINTER_LINE), (result, A, line))
/// The inverse and info: pending.
SINTER_LINALG(detail::two_tensors, inv_ex,
              (const tensor_base& A, bool check_errors = false, SINTER_LINE),
              (A, check_errors, line))
SINTER_LINALG(detail::two_outs, inv_ex_out,
              (Tensor & result, Tensor& info, const Tensor& A, bool check_errors = false,
               SINTER_LINE),
              (result, info, A, check_errors, line))
// Two numbers, and not a number and whether the matrix is Hermitian. A template, which `{}` is no
// argument of: `{}` is a tolerance of 0, as in libtorch.
#define SINTER_TWO_TOLERANCES(name)                                                               \
    template <detail::tolerance_number X, detail::tolerance_number Y>                             \
    Tensor linalg_##name(const tensor_base& A, X atol, Y rtol, bool hermitian = false,            \
                         SINTER_LINE) {                                                           \
        return linalg_##name(A, optional<double>(atol), optional<double>(rtol), hermitian, line); \
    }                                                                                             \
    template <detail::tolerance_number X, detail::tolerance_number Y>                             \
    Tensor& linalg_##name##_out(Tensor& result, const Tensor& A, X atol, Y rtol,                  \
                                bool hermitian = false, SINTER_LINE) {                            \
        return linalg_##name##_out(result, A, optional<double>(atol), optional<double>(rtol),     \
                                   hermitian, line);                                              \
    }                                                                                             \
    namespace linalg {                                                                            \
    template <detail::tolerance_number X, detail::tolerance_number Y>                             \
    Tensor name(const tensor_base& A, X atol, Y rtol, bool hermitian = false, SINTER_LINE) {      \
        return linalg_##name(A, atol, rtol, hermitian, line);                                     \
    }                                                                                             \
    }
/// The Moore-Penrose inverse by singular values (eigenvalues if `hermitian`): those up to
/// max(atol, rtol * the largest) count as 0. rtol is max(m, n) * eps if neither is given, 0 if only
/// atol is. At its line.
SINTER_LINALG(Tensor, pinv,
              (const tensor_base& A, optional<double> atol = nullopt,
               optional<double> rtol = nullopt, bool hermitian = false, SINTER_LINE),
              (A, atol, rtol, hermitian, line))
SINTER_LINALG(Tensor, pinv,
              (const tensor_base& A, double rcond, bool hermitian = false, SINTER_LINE),
              (A, rcond, hermitian, line))
SINTER_LINALG(Tensor, pinv,
              (const tensor_base& A, std::nullopt_t atol, std::nullopt_t rtol = nullopt,
               bool hermitian = false, SINTER_LINE),
              (A, atol, rtol, hermitian, line))
/// Tolerances for each matrix: they broadcast with the batch.
SINTER_LINALG(Tensor, pinv,
              (const tensor_base& A, const optional<Tensor>& atol,
               const optional<Tensor>& rtol = nullopt, bool hermitian = false, SINTER_LINE),
              (A, atol, rtol, hermitian, line))
SINTER_LINALG(Tensor, pinv,
              (const tensor_base& A, const tensor_base& rcond, bool hermitian = false, SINTER_LINE),
              (A, rcond, hermitian, line))
SINTER_LINALG(Tensor&, pinv_out,
              (Tensor & result, const Tensor& A, optional<double> atol = nullopt,
               optional<double> rtol = nullopt, bool hermitian = false, SINTER_LINE),
              (result, A, atol, rtol, hermitian, line))
SINTER_LINALG(Tensor&, pinv_out,
              (Tensor & result, const Tensor& A, double rcond, bool hermitian = false, SINTER_LINE),
              (result, A, rcond, hermitian, line))
SINTER_LINALG(Tensor&, pinv_out,
              (Tensor & result, const Tensor& A, const optional<Tensor>& atol,
               const optional<Tensor>& rtol = nullopt, bool hermitian = false, SINTER_LINE),
              (result, A, atol, rtol, hermitian, line))
SINTER_LINALG(Tensor&, pinv_out,
              (Tensor & result, const Tensor& A, const Tensor& rcond, bool hermitian = false,
               SINTER_LINE),
              (result, A, rcond, hermitian, line))
SINTER_TWO_TOLERANCES(pinv)
/// The inverse of A seen as a matrix between its first `ind` dimensions and the others, whose
/// products are equal. At its line.
SINTER_LINALG(Tensor, tensorinv, (const tensor_base& A, int64_t ind = 2, SINTER_LINE),
              (A, ind, line))
SINTER_LINALG(Tensor&, tensorinv_out,
              (Tensor & result, const Tensor& A, int64_t ind = 2, SINTER_LINE),
              (result, A, ind, line))
/// X of tensordot(A, X, X.dim()) = B: A's sizes are B's and then X's. `dims` are moved to A's end
/// first. At its line.
SINTER_LINALG(Tensor, tensorsolve,
              (const tensor_base& A, const tensor_base& B, OptionalIntArrayRef dims = nullopt,
               SINTER_LINE),
              (A, B, dims, line))
SINTER_LINALG(Tensor&, tensorsolve_out,
              (Tensor & result, const Tensor& A, const Tensor& B,
               OptionalIntArrayRef dims = nullopt, SINTER_LINE),
              (result, A, B, dims, line))

// ---- determinants of (..., n, n), by LU: pending. A singular matrix has 0.
SINTER_LINALG(Tensor, det, (const tensor_base& A), (A))
SINTER_LINALG(Tensor&, det_out, (Tensor & result, const Tensor& A), (result, A))
/// The determinant's sign (of a complex one, its direction) and log|det|, -inf for a singular
/// matrix: det = sign * exp(logabsdet) without overflow.
SINTER_LINALG(detail::two_tensors, slogdet, (const tensor_base& A), (A))
SINTER_LINALG(detail::two_outs, slogdet_out, (Tensor & sign, Tensor& logabsdet, const Tensor& A),
              (sign, logabsdet, A))

// ---- LU: A = P L U
/// P (..., m, m), L (..., m, k) with a unit diagonal, U (..., k, n). Not pivoted, P is empty. At
/// its line; a singular A is no error.
SINTER_LINALG(detail::three_tensors, lu, (const tensor_base& A, bool pivot = true), (A, pivot))
SINTER_LINALG(detail::three_outs, lu_out,
              (Tensor & P, Tensor& L, Tensor& U, const Tensor& A, bool pivot = true),
              (P, L, U, A, pivot))
/// L and U in one (..., m, n), and the pivots (..., k), Int: row i was swapped with row
/// pivots[i] - 1. At its line; throws if a pivot is 0.
SINTER_LINALG(detail::two_tensors, lu_factor,
              (const tensor_base& A, bool pivot = true, SINTER_LINE), (A, pivot, line))
SINTER_LINALG(detail::two_outs, lu_factor_out,
              (Tensor & LU, Tensor& pivots, const Tensor& A, bool pivot = true, SINTER_LINE),
              (LU, pivots, A, pivot, line))
/// The same and info: pending.
SINTER_LINALG(detail::three_tensors, lu_factor_ex,
              (const tensor_base& A, bool pivot = true, bool check_errors = false, SINTER_LINE),
              (A, pivot, check_errors, line))
SINTER_LINALG(detail::three_outs, lu_factor_ex_out,
              (Tensor & LU, Tensor& pivots, Tensor& info, const Tensor& A, bool pivot = true,
               bool check_errors = false, SINTER_LINE),
              (LU, pivots, info, A, pivot, check_errors, line))
/// X of A X = B, of A^H X = B if `adjoint`, and with X on the left if not `left`, from A's
/// factors. At its line.
SINTER_LINALG(Tensor, lu_solve,
              (const tensor_base& LU, const tensor_base& pivots, const tensor_base& B,
               bool left = true, bool adjoint = false),
              (LU, pivots, B, left, adjoint))
SINTER_LINALG(Tensor&, lu_solve_out,
              (Tensor & result, const Tensor& LU, const Tensor& pivots, const Tensor& B,
               bool left = true, bool adjoint = false),
              (result, LU, pivots, B, left, adjoint))

// ---- Cholesky: A = L L^H, or U^H U if `upper`, of a Hermitian positive definite A, of which only
// that triangle is read (potrf)
/// At its line.
SINTER_LINALG(Tensor, cholesky, (const tensor_base& A, bool upper = false, SINTER_LINE),
              (A, upper, line))
SINTER_LINALG(Tensor&, cholesky_out,
              (Tensor & result, const Tensor& A, bool upper = false, SINTER_LINE),
              (result, A, upper, line))
/// The same and info: pending.
SINTER_LINALG(detail::two_tensors, cholesky_ex,
              (const tensor_base& A, bool upper = false, bool check_errors = false, SINTER_LINE),
              (A, upper, check_errors, line))
SINTER_LINALG(detail::two_outs, cholesky_ex_out,
              (Tensor & result, Tensor& info, const Tensor& A, bool upper = false,
               bool check_errors = false, SINTER_LINE),
              (result, info, A, upper, check_errors, line))

// ---- LDL: A = L D L^T, or L D L^H if `hermitian`, D of blocks up to 2 by 2 (sytrf, hetrf); the
// lower triangle is read
/// The factors in one (..., n, n), and pivots (..., n), Int, as LAPACK counts them. At its line.
SINTER_LINALG(detail::two_tensors, ldl_factor,
              (const tensor_base& A, bool hermitian = false, SINTER_LINE), (A, hermitian, line))
SINTER_LINALG(detail::two_outs, ldl_factor_out,
              (Tensor & LD, Tensor& pivots, const Tensor& A, bool hermitian = false, SINTER_LINE),
              (LD, pivots, A, hermitian, line))
/// The same and info: pending.
SINTER_LINALG(detail::three_tensors, ldl_factor_ex,
              (const tensor_base& A, bool hermitian = false, bool check_errors = false,
               SINTER_LINE),
              (A, hermitian, check_errors, line))
SINTER_LINALG(detail::three_outs, ldl_factor_ex_out,
              (Tensor & LD, Tensor& pivots, Tensor& info, const Tensor& A, bool hermitian = false,
               bool check_errors = false, SINTER_LINE),
              (LD, pivots, info, A, hermitian, check_errors, line))
/// X of A X = B from A's factors. At its line.
SINTER_LINALG(Tensor, ldl_solve,
              (const tensor_base& LD, const tensor_base& pivots, const tensor_base& B,
               bool hermitian = false),
              (LD, pivots, B, hermitian))
SINTER_LINALG(Tensor&, ldl_solve_out,
              (Tensor & result, const Tensor& LD, const Tensor& pivots, const Tensor& B,
               bool hermitian = false),
              (result, LD, pivots, B, hermitian))

// ---- QR: A = Q R, pending (geqrf, orgqr)
/// `mode` reduced: Q (..., m, k) and R (..., k, n); complete: Q (..., m, m) and R (..., m, n); r: Q
/// is empty.
SINTER_LINALG(detail::two_tensors, qr, (const tensor_base& A, std::string_view mode = "reduced"),
              (A, mode))
SINTER_LINALG(detail::two_outs, qr_out,
              (Tensor & Q, Tensor& R, const Tensor& A, std::string_view mode = "reduced"),
              (Q, R, A, mode))
/// The first n columns of the product of the reflectors below the diagonal of A (..., m, n), n <=
/// m, with factors tau (..., l), l <= n: pending.
SINTER_LINALG(Tensor, householder_product, (const tensor_base& A, const tensor_base& tau), (A, tau))
SINTER_LINALG(Tensor&, householder_product_out,
              (Tensor & result, const Tensor& A, const Tensor& tau), (result, A, tau))

// ---- singular values: A = U diag(S) Vh, at its line
/// U (..., m, m), S (..., k) falling and real, Vh (..., n, n); not `full_matrices`, U (..., m, k)
/// and Vh (..., k, n). `driver`: gesdd (nothing given) or gesvd; gesvdj and gesvda are taken for
/// GPUs only.
SINTER_LINALG(detail::three_tensors, svd,
              (const tensor_base& A, bool full_matrices = true,
               optional<std::string_view> driver = nullopt, SINTER_LINE),
              (A, full_matrices, driver, line))
SINTER_LINALG(detail::three_outs, svd_out,
              (Tensor & U, Tensor& S, Tensor& Vh, const Tensor& A, bool full_matrices = true,
               optional<std::string_view> driver = nullopt, SINTER_LINE),
              (U, S, Vh, A, full_matrices, driver, line))
SINTER_LINALG(Tensor, svdvals,
              (const tensor_base& A, optional<std::string_view> driver = nullopt, SINTER_LINE),
              (A, driver, line))
SINTER_LINALG(Tensor&, svdvals_out,
              (Tensor & S, const Tensor& A, optional<std::string_view> driver = nullopt,
               SINTER_LINE),
              (S, A, driver, line))

// ---- eigenvalues, at its line
/// Eigenvalues (..., n) and right eigenvectors (..., n, n), one a column, of norm 1: complex, in
/// LAPACK's order (geev). Throws on infinities and NaN.
SINTER_LINALG(detail::two_tensors, eig, (const tensor_base& A, SINTER_LINE), (A, line))
SINTER_LINALG(detail::two_outs, eig_out,
              (Tensor & eigenvalues, Tensor& eigenvectors, const Tensor& A, SINTER_LINE),
              (eigenvalues, eigenvectors, A, line))
SINTER_LINALG(Tensor, eigvals, (const tensor_base& A, SINTER_LINE), (A, line))
SINTER_LINALG(Tensor&, eigvals_out, (Tensor & eigenvalues, const Tensor& A, SINTER_LINE),
              (eigenvalues, A, line))
/// Of a Hermitian matrix, whose lower ("L") or upper ("U") triangle is read: real eigenvalues,
/// rising, and orthonormal eigenvectors (syevd, heevd).
SINTER_LINALG(detail::two_tensors, eigh,
              (const tensor_base& A, std::string_view UPLO = "L", SINTER_LINE), (A, UPLO, line))
SINTER_LINALG(detail::two_outs, eigh_out,
              (Tensor & eigenvalues, Tensor& eigenvectors, const Tensor& A,
               std::string_view UPLO = "L", SINTER_LINE),
              (eigenvalues, eigenvectors, A, UPLO, line))
SINTER_LINALG(Tensor, eigvalsh, (const tensor_base& A, std::string_view UPLO = "L", SINTER_LINE),
              (A, UPLO, line))
SINTER_LINALG(Tensor&, eigvalsh_out,
              (Tensor & eigenvalues, const Tensor& A, std::string_view UPLO = "L", SINTER_LINE),
              (eigenvalues, A, UPLO, line))

// ---- least squares, at its line
/// X (..., n, k) that minimises the norm of A X - B; the sums of squared residuals (..., k), empty
/// where the rank is below n or m <= n; the rank, Long; the singular values. `driver`: gelsy
/// (nothing given), gels (full rank; no rank), gelsd, gelss (both give singular values). `rcond`:
/// what counts as 0 beside the largest; max(m, n) * eps.
SINTER_LINALG(detail::four_tensors, lstsq,
              (const tensor_base& A, const tensor_base& B, optional<double> rcond = nullopt,
               optional<std::string_view> driver = nullopt, SINTER_LINE),
              (A, B, rcond, driver, line))
SINTER_LINALG(detail::four_outs, lstsq_out,
              (Tensor & solution, Tensor& residuals, Tensor& rank, Tensor& singular_values,
               const Tensor& A, const Tensor& B, optional<double> rcond = nullopt,
               optional<std::string_view> driver = nullopt, SINTER_LINE),
              (solution, residuals, rank, singular_values, A, B, rcond, driver, line))

// ---- numbers about matrices
/// How many singular values (absolute eigenvalues if `hermitian`) are above the tolerance, which
/// pinv explains: Long. At its line.
SINTER_LINALG(Tensor, matrix_rank,
              (const tensor_base& A, optional<double> atol = nullopt,
               optional<double> rtol = nullopt, bool hermitian = false, SINTER_LINE),
              (A, atol, rtol, hermitian, line))
SINTER_LINALG(Tensor, matrix_rank,
              (const tensor_base& A, double tol, bool hermitian = false, SINTER_LINE),
              (A, tol, hermitian, line))
SINTER_LINALG(Tensor, matrix_rank,
              (const tensor_base& A, std::nullopt_t atol, std::nullopt_t rtol = nullopt,
               bool hermitian = false, SINTER_LINE),
              (A, atol, rtol, hermitian, line))
SINTER_LINALG(Tensor, matrix_rank,
              (const tensor_base& A, const optional<Tensor>& atol,
               const optional<Tensor>& rtol = nullopt, bool hermitian = false, SINTER_LINE),
              (A, atol, rtol, hermitian, line))
SINTER_LINALG(Tensor, matrix_rank,
              (const tensor_base& A, const tensor_base& tol, bool hermitian = false, SINTER_LINE),
              (A, tol, hermitian, line))
SINTER_LINALG(Tensor&, matrix_rank_out,
              (Tensor & result, const Tensor& A, optional<double> atol = nullopt,
               optional<double> rtol = nullopt, bool hermitian = false, SINTER_LINE),
              (result, A, atol, rtol, hermitian, line))
SINTER_LINALG(Tensor&, matrix_rank_out,
              (Tensor & result, const Tensor& A, double tol, bool hermitian = false, SINTER_LINE),
              (result, A, tol, hermitian, line))
SINTER_LINALG(Tensor&, matrix_rank_out,
              (Tensor & result, const Tensor& A, const optional<Tensor>& atol,
               const optional<Tensor>& rtol = nullopt, bool hermitian = false, SINTER_LINE),
              (result, A, atol, rtol, hermitian, line))
SINTER_LINALG(Tensor&, matrix_rank_out,
              (Tensor & result, const Tensor& A, const Tensor& tol, bool hermitian = false,
               SINTER_LINE),
              (result, A, tol, hermitian, line))
SINTER_TWO_TOLERANCES(matrix_rank)
/// The condition number, |A| |A^-1| in the norm p: 2 (nothing given), -2, 1, -1, inf, -inf, "fro"
/// or "nuc"; inf for a singular matrix. At its line for all of them.
SINTER_LINALG(Tensor, cond,
              (const tensor_base& A, const optional<Scalar>& p = nullopt, SINTER_LINE),
              (A, p, line))
SINTER_LINALG(Tensor, cond, (const tensor_base& A, named_norm p, SINTER_LINE), (A, p, line))
SINTER_LINALG(Tensor&, cond_out,
              (Tensor & result, const Tensor& A, const optional<Scalar>& p = nullopt, SINTER_LINE),
              (result, A, p, line))
SINTER_LINALG(Tensor&, cond_out, (Tensor & result, const Tensor& A, named_norm p, SINTER_LINE),
              (result, A, p, line))

// ---- norms: fused, of floating and complex dtypes; real
/// sum(|x|^ord)^(1/ord) over `dim`, or over all elements; 0 counts what is not 0, inf and -inf are
/// the largest and smallest |x|.
SINTER_LINALG(Tensor, vector_norm,
              (const tensor_base& x, const Scalar& ord = 2, OptionalIntArrayRef dim = nullopt,
               bool keepdim = false, optional<ScalarType> dtype = nullopt),
              (x, ord, dim, keepdim, dtype))
SINTER_LINALG(Tensor&, vector_norm_out,
              (Tensor & result, const Tensor& x, const Scalar& ord = 2,
               OptionalIntArrayRef dim = nullopt, bool keepdim = false,
               optional<ScalarType> dtype = nullopt),
              (result, x, ord, dim, keepdim, dtype))
/// Of the matrices in two dimensions: "fro", "nuc", 1 and -1 (the largest and smallest sum of a
/// column), inf and -inf (of a row), 2 and -2 (singular values, as "nuc": at its line).
SINTER_LINALG(Tensor, matrix_norm,
              (const tensor_base& A, const Scalar& ord, IntArrayRef dim = {-2, -1},
               bool keepdim = false, optional<ScalarType> dtype = nullopt, SINTER_LINE),
              (A, ord, dim, keepdim, dtype, line))
SINTER_LINALG(Tensor, matrix_norm,
              (const tensor_base& A, named_norm ord = "fro", IntArrayRef dim = {-2, -1},
               bool keepdim = false, optional<ScalarType> dtype = nullopt, SINTER_LINE),
              (A, ord, dim, keepdim, dtype, line))
SINTER_LINALG(Tensor&, matrix_norm_out,
              (Tensor & result, const Tensor& A, const Scalar& ord, IntArrayRef dim = {-2, -1},
               bool keepdim = false, optional<ScalarType> dtype = nullopt, SINTER_LINE),
              (result, A, ord, dim, keepdim, dtype, line))
SINTER_LINALG(Tensor&, matrix_norm_out,
              (Tensor & result, const Tensor& A, named_norm ord = "fro", IntArrayRef dim = {-2, -1},
               bool keepdim = false, optional<ScalarType> dtype = nullopt, SINTER_LINE),
              (result, A, ord, dim, keepdim, dtype, line))
/// No `ord`: the 2-norm of the elements of `dim`, or of all. With one: a vector's norm for one
/// dimension, a matrix's for two; without `dim` the tensor must have that many.
SINTER_LINALG(Tensor, norm,
              (const tensor_base& A, const optional<Scalar>& ord = nullopt,
               OptionalIntArrayRef dim = nullopt, bool keepdim = false,
               optional<ScalarType> dtype = nullopt, SINTER_LINE),
              (A, ord, dim, keepdim, dtype, line))
SINTER_LINALG(Tensor, norm,
              (const tensor_base& A, named_norm ord, OptionalIntArrayRef dim = nullopt,
               bool keepdim = false, optional<ScalarType> dtype = nullopt, SINTER_LINE),
              (A, ord, dim, keepdim, dtype, line))
SINTER_LINALG(Tensor&, norm_out,
              (Tensor & result, const Tensor& A, const optional<Scalar>& ord = nullopt,
               OptionalIntArrayRef dim = nullopt, bool keepdim = false,
               optional<ScalarType> dtype = nullopt, SINTER_LINE),
              (result, A, ord, dim, keepdim, dtype, line))
SINTER_LINALG(Tensor&, norm_out,
              (Tensor & result, const Tensor& A, named_norm ord, OptionalIntArrayRef dim = nullopt,
               bool keepdim = false, optional<ScalarType> dtype = nullopt, SINTER_LINE),
              (result, A, ord, dim, keepdim, dtype, line))

// ---- functions of matrices, products
/// exp(A) of (..., n, n), by scaling, Taylor polynomials and squaring, as PyTorch does (Bader,
/// Blanes, Casas 2019). Its norms decide the degree: at its line.
SINTER_LINALG(Tensor, matrix_exp, (const tensor_base& A), (A))
/// A multiplied with itself; of negative n, its inverse, at its line. Numbers but Bool.
SINTER_LINALG(Tensor, matrix_power, (const tensor_base& A, int64_t n, SINTER_LINE), (A, n, line))
SINTER_LINALG(Tensor&, matrix_power_out, (Tensor & result, const Tensor& A, int64_t n, SINTER_LINE),
              (result, A, n, line))
/// The product of all, in the order that costs least; the first and the last may be vectors.
/// Pending.
SINTER_LINALG(Tensor, multi_dot, (TensorList tensors), (tensors))
SINTER_LINALG(Tensor&, multi_dot_out, (Tensor & result, TensorList tensors), (result, tensors))
/// As the functions of these names without `linalg_`. Fused, and a library call.
SINTER_LINALG(Tensor, matmul, (const tensor_base& a, const tensor_base& b), (a, b))
SINTER_LINALG(Tensor&, matmul_out, (Tensor & result, const Tensor& a, const Tensor& b),
              (result, a, b))
SINTER_LINALG(Tensor, cross, (const tensor_base& a, const tensor_base& b, int64_t dim = -1),
              (a, b, dim))
SINTER_LINALG(Tensor&, cross_out,
              (Tensor & result, const Tensor& a, const Tensor& b, int64_t dim = -1),
              (result, a, b, dim))
/// sum(conj(x) * y) over `dim`, of floating and complex dtypes; sizes broadcast. Fused.
SINTER_LINALG(Tensor, vecdot, (const tensor_base& x, const tensor_base& y, int64_t dim = -1),
              (x, y, dim))
SINTER_LINALG(Tensor&, vecdot_out,
              (Tensor & result, const Tensor& x, const Tensor& y, int64_t dim = -1),
              (result, x, y, dim))
/// The diagonals of matrices: a view.
SINTER_LINALG(Tensor, diagonal,
              (const tensor_base& A, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1),
              (A, offset, dim1, dim2))
/// Powers 0 to N - 1 (default: as many as elements) of the elements of the last dimension, one a
/// column. Fused.
SINTER_LINALG(Tensor, vander, (const tensor_base& x, optional<int64_t> N = nullopt), (x, N))

// ---- names without `linalg_`
SINTER_API Tensor inverse(const tensor_base& A, SINTER_LINE);
SINTER_API Tensor& inverse_out(Tensor& result, const Tensor& A, SINTER_LINE);
SINTER_API Tensor pinverse(const tensor_base& A, double rcond = 1e-15, SINTER_LINE);
SINTER_API Tensor det(const tensor_base& A);
SINTER_API std::tuple<Tensor, Tensor> slogdet(const tensor_base& A);
/// log(det A): NaN where the determinant of a real matrix is negative. Pending.
SINTER_API Tensor logdet(const tensor_base& A);
/// The sum of a matrix's diagonal; integers become Long. Fused.
SINTER_API Tensor trace(const tensor_base& A);
SINTER_API Tensor matrix_exp(const tensor_base& A);
SINTER_API Tensor matrix_power(const tensor_base& A, int64_t n, SINTER_LINE);
SINTER_API Tensor& matrix_power_out(Tensor& result, const Tensor& A, int64_t n, SINTER_LINE);
SINTER_API Tensor cholesky(const tensor_base& A, bool upper = false, SINTER_LINE);
SINTER_API Tensor& cholesky_out(Tensor& result, const Tensor& A, bool upper = false, SINTER_LINE);
/// (L L^H)^-1, or (U^H U)^-1 if `upper`. At its line (potri); throws if the factor is singular.
SINTER_API Tensor cholesky_inverse(const tensor_base& L, bool upper = false, SINTER_LINE);
SINTER_API Tensor& cholesky_inverse_out(Tensor& result, const Tensor& L, bool upper = false,
                                        SINTER_LINE);
/// X of L L^H X = B, or U^H U X = B if `upper`. Pending (potrs).
SINTER_API Tensor cholesky_solve(const tensor_base& B, const tensor_base& L, bool upper = false);
SINTER_API Tensor& cholesky_solve_out(Tensor& result, const Tensor& B, const Tensor& L,
                                      bool upper = false);
/// linalg_qr, reduced if `some`, else complete.
SINTER_API std::tuple<Tensor, Tensor> qr(const tensor_base& A, bool some = true);
/// U, S and V (not Vh), reduced if `some`; without `compute_uv` U and V are zeros. At its line.
SINTER_API std::tuple<Tensor, Tensor, Tensor> svd(const tensor_base& A, bool some = true,
                                                  bool compute_uv = true, SINTER_LINE);
/// U, S and V of the `q` largest singular values of A (A - M), nearly: by `niter` steps of subspace
/// iteration from random vectors (Halko, Martinsson and Tropp). At its line.
SINTER_API std::tuple<Tensor, Tensor, Tensor> svd_lowrank(const tensor_base& A, int64_t q = 6,
                                                          int64_t niter = 2,
                                                          const optional<Tensor>& M = nullopt);
/// What LAPACK's geqrf gives: R on and above the diagonal, reflectors below it; their factors.
/// Pending.
SINTER_API std::tuple<Tensor, Tensor> geqrf(const tensor_base& A);
SINTER_API Tensor orgqr(const tensor_base& A, const tensor_base& tau);
/// Q C, or C Q if not `left`, Q^H for Q if `transpose`; Q as geqrf leaves it. Pending.
SINTER_API Tensor ormqr(const tensor_base& A, const tensor_base& tau, const tensor_base& C,
                        bool left = true, bool transpose = false);
/// X of A X = B, or A^T X = B, and a copy of A. Pending.
SINTER_API std::tuple<Tensor, Tensor> triangular_solve(const tensor_base& B, const tensor_base& A,
                                                       bool upper = true, bool transpose = false,
                                                       bool unitriangular = false);
/// P, L and U from what linalg_lu_factor gives; parts not asked for are empty. Fused, and a
/// scatter.
SINTER_API std::tuple<Tensor, Tensor, Tensor> lu_unpack(const tensor_base& LU,
                                                        const tensor_base& pivots,
                                                        bool unpack_data = true,
                                                        bool unpack_pivots = true);
SINTER_API Tensor lu_solve(const tensor_base& B, const tensor_base& LU, const tensor_base& pivots);

#undef SINTER_LINALG
#undef SINTER_LINE

}  // namespace sinter::inline v1
