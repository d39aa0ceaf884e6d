// Linear algebra: decompositions, systems, norms and functions of matrices, by torch.linalg's
// names, as `linalg_xxx(...)` and as `linalg::xxx(...)`.
//
// Matrices are the last two dimensions, (m, n); all dimensions before them are the batch, of any
// number and size, and broadcast between two operands. Matrices may be empty. Dtypes are Float,
// Double, ComplexFloat and ComplexDouble unless a function says otherwise. H stands for the
// conjugate transpose, k for min(m, n).
//
// Functions that may fail because of values run at once, and throw a LinAlgError that names the
// first bad matrix of the batch, what LAPACK found, and the line of the call. All others are
// pending: library calls, and fused kernels around them. `_ex` forms are pending and return
// LAPACK's `info` (Int, one for each matrix, 0 for success); they throw only if `check_errors`.
//
// Results keep the layout of LAPACK, which may be column-major. `_out` forms resize an output of
// other sizes, and convert to its dtype if that keeps the kind of number.
#pragma once

#include <sinter/core/tensor_list.hpp>
#include <sinter/tensor.hpp>

#include <source_location>

namespace sinter::inline v1 {

/// Where a call was written, for errors. Never passed by hand.
using source_line = std::source_location;
#define SINTER_LINE const source_line& line = source_line::current()

// One line for each function: its declaration, and its form in namespace linalg.
#define SINTER_LINALG(Result, name, parameters, arguments)            \
    SINTER_API Result linalg_##name parameters;                       \
    namespace linalg {                                                \
    inline Result name parameters { return linalg_##name arguments; } \
    }

/// A norm's name, as a string. Not constructible from 0, which is an order as well as a null
/// pointer.
class named_norm {
public:
    /// Holds, and returns, the name; the string must outlive it.
    ///@{
    template <class S>
        requires(std::is_convertible_v<const S&, std::string_view> && !std::is_null_pointer_v<S>)
    named_norm(const S& name) : name_(name) {}           // NOLINT: as a text
    operator std::string_view() const { return name_; }  // NOLINT
    ///@}

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

// ---- linear systems
/// Returns X of A X = B, or of X A = B if not `left`, in B's sizes with the broadcast batch. A
/// (..., n, n); B is (..., n, k), or vectors: (n), or A's sizes without the last. Runs: at its line
/// (getrf, getrs). Throws LinAlgError if A is singular, Error if A is not square, sizes do not fit
/// or dtypes differ, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(Tensor, solve,
              (const tensor_base& A, const tensor_base& B, bool left = true, SINTER_LINE),
              (A, B, left, line))
SINTER_LINALG(Tensor&, solve_out,
              (Tensor & result, const Tensor& A, const Tensor& B, bool left = true, SINTER_LINE),
              (result, A, B, left, line))
///@}
/// Returns what solve() does, and `info` (...), Int, 0 for success. Throws what solve() throws, but
/// LinAlgError only if `check_errors`, which reads `info` at the call.
///@{
SINTER_LINALG(detail::two_tensors, solve_ex,
              (const tensor_base& A, const tensor_base& B, bool left = true,
               bool check_errors = false, SINTER_LINE),
              (A, B, left, check_errors, line))
SINTER_LINALG(detail::two_outs, solve_ex_out,
              (Tensor & result, Tensor& info, const Tensor& A, const Tensor& B, bool left = true,
               bool check_errors = false, SINTER_LINE),
              (result, info, A, B, left, check_errors, line))
///@}
/// Returns X of A X = B (X A = B if not `left`) for a triangular A (..., n, n), of which only the
/// upper or lower triangle is read, and B (..., n, k); batches broadcast. `unitriangular` takes A's
/// diagonal as ones. A zero on the diagonal gives infinities or NaN, no error. Throws Error if A is
/// not square, sizes do not fit or dtypes differ, and NotImplementedError for another dtype. Runs:
/// library (trsm).
///@{
SINTER_LINALG(Tensor, solve_triangular,
              (const tensor_base& A, const tensor_base& B, bool upper, bool left = true,
               bool unitriangular = false),
              (A, B, upper, left, unitriangular))
SINTER_LINALG(Tensor&, solve_triangular_out,
              (Tensor & result, const Tensor& A, const Tensor& B, bool upper, bool left = true,
               bool unitriangular = false),
              (result, A, B, upper, left, unitriangular))
///@}

// ---- inverses
/// Returns the inverse of A (..., n, n), of the same sizes. Runs: at its line (getrf, getri).
/// Throws LinAlgError if A is singular, Error if it is not square, and NotImplementedError for
/// another dtype.
///@{
SINTER_LINALG(Tensor, inv, (const tensor_base& A, SINTER_LINE), (A, line))
SINTER_LINALG(Tensor&, inv_out, (Tensor & result, const Tensor& A, SINTER_LINE), (result, A, line))
///@}
/// Returns the inverse, and `info` (...), Int, 0 for success. Throws what inv() throws, but
/// LinAlgError only if `check_errors`, which reads `info` at the call.
///@{
SINTER_LINALG(detail::two_tensors, inv_ex,
              (const tensor_base& A, bool check_errors = false, SINTER_LINE),
              (A, check_errors, line))
SINTER_LINALG(detail::two_outs, inv_ex_out,
              (Tensor & result, Tensor& info, const Tensor& A, bool check_errors = false,
               SINTER_LINE),
              (result, info, A, check_errors, line))
///@}
// Two numbers are two tolerances, not a tolerance and `hermitian`. A template does not deduce from
// `{}`, which stays a tolerance of 0, as in libtorch.
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
/// Returns the Moore-Penrose inverse (..., n, m) of A (..., m, n) from singular values, or from
/// eigenvalues if `hermitian`. Values up to max(atol, rtol * the largest) count as 0; rtol is
/// max(m, n) * eps if neither is given, 0 if atol is positive, and `rcond` is another name of it.
/// Tolerances in tensors broadcast with the batch. Throws Error if A is no matrix, is not square
/// although `hermitian`, or a tolerance is complex; LinAlgError for NaN and infinities;
/// NotImplementedError for another dtype.
///@{
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
///@}
/// Returns the inverse of A seen as a matrix between its first `ind` dimensions and the others,
/// whose sizes change places. Throws LinAlgError if it is singular, Error if `ind` < 1 or the two
/// parts do not have equally many elements, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(Tensor, tensorinv, (const tensor_base& A, int64_t ind = 2, SINTER_LINE),
              (A, ind, line))
SINTER_LINALG(Tensor&, tensorinv_out,
              (Tensor & result, const Tensor& A, int64_t ind = 2, SINTER_LINE),
              (result, A, ind, line))
///@}
/// Returns X of tensordot(A, X, X.dim()) = B. A's sizes are B's and then X's; `dims` are moved to
/// A's end first. Throws LinAlgError if A is singular, Error if sizes do not fit or dtypes differ,
/// and NotImplementedError for another dtype.
///@{
SINTER_LINALG(Tensor, tensorsolve,
              (const tensor_base& A, const tensor_base& B, OptionalIntArrayRef dims = nullopt,
               SINTER_LINE),
              (A, B, dims, line))
SINTER_LINALG(Tensor&, tensorsolve_out,
              (Tensor & result, const Tensor& A, const Tensor& B,
               OptionalIntArrayRef dims = nullopt, SINTER_LINE),
              (result, A, B, dims, line))
///@}

// ---- determinants
/// Returns the determinants (...) of A (..., n, n), by LU; 0 for a singular matrix. Throws Error if
/// A is not square, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(Tensor, det, (const tensor_base& A), (A))
SINTER_LINALG(Tensor&, det_out, (Tensor & result, const Tensor& A), (result, A))
///@}
/// Returns the sign of the determinant (of a complex one, its direction) and log|det|, both (...),
/// of A (..., n, n); -inf for a singular matrix: det = sign * exp(logabsdet). Throws Error if A is
/// not square, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(detail::two_tensors, slogdet, (const tensor_base& A), (A))
SINTER_LINALG(detail::two_outs, slogdet_out, (Tensor & sign, Tensor& logabsdet, const Tensor& A),
              (sign, logabsdet, A))
///@}

// ---- LU
/// Returns P (..., m, m), L (..., m, k) with a unit diagonal and U (..., k, n) of A = P L U. A
/// singular A is no error. Runs: at its line (getrf). Throws Error if A is no matrix or `pivot` is
/// false, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(detail::three_tensors, lu, (const tensor_base& A, bool pivot = true), (A, pivot))
SINTER_LINALG(detail::three_outs, lu_out,
              (Tensor & P, Tensor& L, Tensor& U, const Tensor& A, bool pivot = true),
              (P, L, U, A, pivot))
///@}
/// Returns L and U in one tensor (..., m, n), and the pivots (..., k), Int: row i was swapped with
/// row pivots[i] - 1. Throws LinAlgError if a pivot is 0, Error if A is no matrix or `pivot` is
/// false, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(detail::two_tensors, lu_factor,
              (const tensor_base& A, bool pivot = true, SINTER_LINE), (A, pivot, line))
SINTER_LINALG(detail::two_outs, lu_factor_out,
              (Tensor & LU, Tensor& pivots, const Tensor& A, bool pivot = true, SINTER_LINE),
              (LU, pivots, A, pivot, line))
///@}
/// Returns what lu_factor() does, and `info` (...), Int, 0 for success. Throws what lu_factor()
/// throws, but LinAlgError only if `check_errors`, which reads `info` at the call.
///@{
SINTER_LINALG(detail::three_tensors, lu_factor_ex,
              (const tensor_base& A, bool pivot = true, bool check_errors = false, SINTER_LINE),
              (A, pivot, check_errors, line))
SINTER_LINALG(detail::three_outs, lu_factor_ex_out,
              (Tensor & LU, Tensor& pivots, Tensor& info, const Tensor& A, bool pivot = true,
               bool check_errors = false, SINTER_LINE),
              (LU, pivots, info, A, pivot, check_errors, line))
///@}
/// Returns X of A X = B (A^H X = B if `adjoint`, X on the left if not `left`), of B's sizes (...,
/// n, k) with the broadcast batch, from the factors of lu_factor(). Throws Error if sizes do not
/// fit, dtypes differ or pivots are not Int, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(Tensor, lu_solve,
              (const tensor_base& LU, const tensor_base& pivots, const tensor_base& B,
               bool left = true, bool adjoint = false),
              (LU, pivots, B, left, adjoint))
SINTER_LINALG(Tensor&, lu_solve_out,
              (Tensor & result, const Tensor& LU, const Tensor& pivots, const Tensor& B,
               bool left = true, bool adjoint = false),
              (result, LU, pivots, B, left, adjoint))
///@}

// ---- Cholesky
/// Returns L of A = L L^H, or U of A = U^H U if `upper`, for a Hermitian positive definite A (...,
/// n, n), of which only that triangle is read. Runs: at its line (potrf). Throws LinAlgError if A
/// is not positive definite, Error if it is not square, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(Tensor, cholesky, (const tensor_base& A, bool upper = false, SINTER_LINE),
              (A, upper, line))
SINTER_LINALG(Tensor&, cholesky_out,
              (Tensor & result, const Tensor& A, bool upper = false, SINTER_LINE),
              (result, A, upper, line))
///@}
/// Returns the factor, and `info` (...), Int, 0 for success. Throws what cholesky() throws, but
/// LinAlgError only if `check_errors`, which reads `info` at the call.
///@{
SINTER_LINALG(detail::two_tensors, cholesky_ex,
              (const tensor_base& A, bool upper = false, bool check_errors = false, SINTER_LINE),
              (A, upper, check_errors, line))
SINTER_LINALG(detail::two_outs, cholesky_ex_out,
              (Tensor & result, Tensor& info, const Tensor& A, bool upper = false,
               bool check_errors = false, SINTER_LINE),
              (result, info, A, upper, check_errors, line))
///@}

// ---- LDL
/// Returns the factors of A = L D L^T, or L D L^H if `hermitian`, in one tensor (..., n, n), and
/// LAPACK's pivots (..., n), Int. D has blocks up to 2 by 2; the lower triangle of A is read. Runs:
/// at its line (sytrf, hetrf). Throws LinAlgError if a block of D is singular, Error if A is not
/// square, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(detail::two_tensors, ldl_factor,
              (const tensor_base& A, bool hermitian = false, SINTER_LINE), (A, hermitian, line))
SINTER_LINALG(detail::two_outs, ldl_factor_out,
              (Tensor & LD, Tensor& pivots, const Tensor& A, bool hermitian = false, SINTER_LINE),
              (LD, pivots, A, hermitian, line))
///@}
/// Returns what ldl_factor() does, and `info` (...), Int, 0 for success. Throws what ldl_factor()
/// throws, but LinAlgError only if `check_errors`, which reads `info` at the call.
///@{
SINTER_LINALG(detail::three_tensors, ldl_factor_ex,
              (const tensor_base& A, bool hermitian = false, bool check_errors = false,
               SINTER_LINE),
              (A, hermitian, check_errors, line))
SINTER_LINALG(detail::three_outs, ldl_factor_ex_out,
              (Tensor & LD, Tensor& pivots, Tensor& info, const Tensor& A, bool hermitian = false,
               bool check_errors = false, SINTER_LINE),
              (LD, pivots, info, A, hermitian, check_errors, line))
///@}
/// Returns X of A X = B, of B's sizes (..., n, k) with the broadcast batch, from the factors of
/// ldl_factor(). Throws Error if sizes do not fit, dtypes differ or pivots are not Int, and
/// NotImplementedError for another dtype.
///@{
SINTER_LINALG(Tensor, ldl_solve,
              (const tensor_base& LD, const tensor_base& pivots, const tensor_base& B,
               bool hermitian = false),
              (LD, pivots, B, hermitian))
SINTER_LINALG(Tensor&, ldl_solve_out,
              (Tensor & result, const Tensor& LD, const Tensor& pivots, const Tensor& B,
               bool hermitian = false),
              (result, LD, pivots, B, hermitian))
///@}

// ---- QR
/// Returns Q and R of A (..., m, n) = Q R. `mode` "reduced": Q (..., m, k) and R (..., k, n);
/// "complete": Q (..., m, m) and R (..., m, n); "r": Q is empty. Runs: library (geqrf, orgqr).
/// Throws Error for another mode and if A is no matrix, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(detail::two_tensors, qr, (const tensor_base& A, std::string_view mode = "reduced"),
              (A, mode))
SINTER_LINALG(detail::two_outs, qr_out,
              (Tensor & Q, Tensor& R, const Tensor& A, std::string_view mode = "reduced"),
              (Q, R, A, mode))
///@}
/// Returns the first n columns of the product of the reflectors below the diagonal of A (..., m,
/// n), n <= m, with factors tau (..., l), l <= n. Runs: library (orgqr). Throws Error if A is wider
/// than tall, tau does not fit or the dtypes differ, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(Tensor, householder_product, (const tensor_base& A, const tensor_base& tau), (A, tau))
SINTER_LINALG(Tensor&, householder_product_out,
              (Tensor & result, const Tensor& A, const Tensor& tau), (result, A, tau))
///@}

// ---- singular values
/// Returns U (..., m, m), S (..., k), real and falling, and Vh (..., n, n) of A = U diag(S) Vh; U
/// (..., m, k) and Vh (..., k, n) if not `full_matrices`. `driver` is "gesdd" (the default) or
/// "gesvd"; "gesvdj" and "gesvda" are for GPUs only. Throws LinAlgError for NaN and infinities,
/// Error for another driver and if A is no matrix, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(detail::three_tensors, svd,
              (const tensor_base& A, bool full_matrices = true,
               optional<std::string_view> driver = nullopt, SINTER_LINE),
              (A, full_matrices, driver, line))
SINTER_LINALG(detail::three_outs, svd_out,
              (Tensor & U, Tensor& S, Tensor& Vh, const Tensor& A, bool full_matrices = true,
               optional<std::string_view> driver = nullopt, SINTER_LINE),
              (U, S, Vh, A, full_matrices, driver, line))
///@}
/// Returns the singular values (..., k) of A (..., m, n), real and falling. Throws what svd()
/// throws.
///@{
SINTER_LINALG(Tensor, svdvals,
              (const tensor_base& A, optional<std::string_view> driver = nullopt, SINTER_LINE),
              (A, driver, line))
SINTER_LINALG(Tensor&, svdvals_out,
              (Tensor & S, const Tensor& A, optional<std::string_view> driver = nullopt,
               SINTER_LINE),
              (S, A, driver, line))
///@}

// ---- eigenvalues
/// Returns the eigenvalues (..., n) and right eigenvectors (..., n, n), one a column, of norm 1:
/// complex, in LAPACK's order. Runs: at its line (geev). Throws LinAlgError for NaN and infinities,
/// Error if A is not square, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(detail::two_tensors, eig, (const tensor_base& A, SINTER_LINE), (A, line))
SINTER_LINALG(detail::two_outs, eig_out,
              (Tensor & eigenvalues, Tensor& eigenvectors, const Tensor& A, SINTER_LINE),
              (eigenvalues, eigenvectors, A, line))
///@}
/// Returns the eigenvalues (..., n) of eig(). Throws what eig() throws.
///@{
SINTER_LINALG(Tensor, eigvals, (const tensor_base& A, SINTER_LINE), (A, line))
SINTER_LINALG(Tensor&, eigvals_out, (Tensor & eigenvalues, const Tensor& A, SINTER_LINE),
              (eigenvalues, A, line))
///@}
/// Returns the eigenvalues (..., n), real and rising, and orthonormal eigenvectors (..., n, n) of a
/// Hermitian matrix, whose lower ("L") or upper ("U") triangle is read. Runs: at its line (syevd,
/// heevd). Throws LinAlgError for NaN and infinities, Error for another triangle and if A is not
/// square, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(detail::two_tensors, eigh,
              (const tensor_base& A, std::string_view UPLO = "L", SINTER_LINE), (A, UPLO, line))
SINTER_LINALG(detail::two_outs, eigh_out,
              (Tensor & eigenvalues, Tensor& eigenvectors, const Tensor& A,
               std::string_view UPLO = "L", SINTER_LINE),
              (eigenvalues, eigenvectors, A, UPLO, line))
///@}
/// Returns the eigenvalues (..., n) of eigh(). Throws what eigh() throws.
///@{
SINTER_LINALG(Tensor, eigvalsh, (const tensor_base& A, std::string_view UPLO = "L", SINTER_LINE),
              (A, UPLO, line))
SINTER_LINALG(Tensor&, eigvalsh_out,
              (Tensor & eigenvalues, const Tensor& A, std::string_view UPLO = "L", SINTER_LINE),
              (eigenvalues, A, UPLO, line))
///@}

// ---- least squares
/// Returns X (..., n, k) that minimises the norm of A X - B, A (..., m, n) and B (..., m, k) or
/// vectors (..., m); the sums of squared residuals (..., k), empty if the rank is below n or m <=
/// n; the rank, Long; and the singular values. `driver` is "gelsy" (the default on the CPU), "gels"
/// (full rank; no rank; the default on a GPU), "gelsd" or "gelss" (both give singular values).
/// Values up to `rcond` times the largest count as 0; it is max(m, n) * eps by default. Throws
/// LinAlgError for NaN and infinities, and if "gels" finds no full rank; Error for another driver,
/// if sizes do not fit and if dtypes differ; and NotImplementedError for another dtype.
///@{
SINTER_LINALG(detail::four_tensors, lstsq,
              (const tensor_base& A, const tensor_base& B, optional<double> rcond = nullopt,
               optional<std::string_view> driver = nullopt, SINTER_LINE),
              (A, B, rcond, driver, line))
SINTER_LINALG(detail::four_outs, lstsq_out,
              (Tensor & solution, Tensor& residuals, Tensor& rank, Tensor& singular_values,
               const Tensor& A, const Tensor& B, optional<double> rcond = nullopt,
               optional<std::string_view> driver = nullopt, SINTER_LINE),
              (solution, residuals, rank, singular_values, A, B, rcond, driver, line))
///@}

// ---- ranks and condition numbers
/// Returns the number (...), Long, of singular values of A (..., m, n), or of absolute eigenvalues
/// if `hermitian`, above the tolerance, which pinv() explains; `tol` is another name of atol.
/// Throws what pinv() throws.
///@{
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
///@}
/// Returns the condition number |A| |A^-1|, (...), of A (..., m, n) in the norm p: 2 (the default),
/// -2 or "nuc", from singular values, at its line; 1, -1, inf, -inf or "fro", from the inverse:
/// library. A singular matrix has inf. Throws ValueError for another norm, Error if A is no matrix,
/// or not square for all norms but 2 and -2, LinAlgError for NaN and infinities among singular
/// values, and NotImplementedError for another dtype.
///@{
SINTER_LINALG(Tensor, cond,
              (const tensor_base& A, const optional<Scalar>& p = nullopt, SINTER_LINE),
              (A, p, line))
SINTER_LINALG(Tensor, cond, (const tensor_base& A, named_norm p, SINTER_LINE), (A, p, line))
SINTER_LINALG(Tensor&, cond_out,
              (Tensor & result, const Tensor& A, const optional<Scalar>& p = nullopt, SINTER_LINE),
              (result, A, p, line))
SINTER_LINALG(Tensor&, cond_out, (Tensor & result, const Tensor& A, named_norm p, SINTER_LINE),
              (result, A, p, line))
///@}

// ---- norms
/// Returns sum(|x|^ord)^(1/ord), real, over `dim`, which the result lacks or has with size 1 if
/// `keepdim`, or over all elements (0-d); ord 0 counts nonzero elements, inf and -inf give the
/// largest and smallest |x|. Throws Error if `dtype` does not hold the operand's, `ord` is complex,
/// or for ord < 0 or infinite of no elements; NotImplementedError unless floating or complex.
///@{
SINTER_LINALG(Tensor, vector_norm,
              (const tensor_base& x, const Scalar& ord = 2, OptionalIntArrayRef dim = nullopt,
               bool keepdim = false, optional<ScalarType> dtype = nullopt),
              (x, ord, dim, keepdim, dtype))
SINTER_LINALG(Tensor&, vector_norm_out,
              (Tensor & result, const Tensor& x, const Scalar& ord = 2,
               OptionalIntArrayRef dim = nullopt, bool keepdim = false,
               optional<ScalarType> dtype = nullopt),
              (result, x, ord, dim, keepdim, dtype))
///@}
/// Returns the norms of the matrices in two dimensions, which the result lacks or has with size 1
/// if `keepdim`: "fro", 1 and -1 (largest and smallest sum of a column), inf and -inf (of a row):
/// fused. "nuc", 2 and -2 take singular values at the call. Throws Error for another order, unless
/// two different dimensions are named, below 2 dimensions and if `dtype` does not hold the
/// operand's; NotImplementedError unless floating or complex, and for 16-bit floats by singular
/// values, which throw LinAlgError for NaN and infinities.
///@{
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
///@}
/// Returns without `ord` the 2-norm of the elements of `dim`, or of all (0-d); with one a vector
/// norm for one dimension, a matrix norm for two. The result lacks these dimensions, or has size 1
/// in their places if `keepdim`. Without `dim` the tensor must have one or two dimensions then.
/// Throws Error for other numbers of dimensions, and what vector_norm() and matrix_norm() throw.
///@{
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
///@}

// ---- functions of matrices, products
/// Returns exp(A) of A (..., n, n), of the same sizes, by scaling, Taylor polynomials and squaring,
/// as PyTorch does (Bader, Blanes, Casas 2019). Norms, which are read at the call, decide the
/// degree. Throws Error if A is not square, and NotImplementedError unless floating or complex.
SINTER_LINALG(Tensor, matrix_exp, (const tensor_base& A), (A))
/// Returns the n-th power of A (..., n, n), of the same sizes. A negative n inverts A at the call,
/// and throws LinAlgError if it is singular. Throws Error if A is not square, and
/// NotImplementedError for Bool.
///@{
SINTER_LINALG(Tensor, matrix_power, (const tensor_base& A, int64_t n, SINTER_LINE), (A, n, line))
SINTER_LINALG(Tensor&, matrix_power_out, (Tensor & result, const Tensor& A, int64_t n, SINTER_LINE),
              (result, A, n, line))
///@}
/// Returns the product of all, in the order that costs least; the first and the last may be
/// vectors, whose dimension the result lacks, the others are matrices. Throws Error for fewer than
/// 2, for other numbers of dimensions, if sizes do not fit and if dtypes differ;
/// NotImplementedError for Bool.
///@{
SINTER_LINALG(Tensor, multi_dot, (TensorList tensors), (tensors))
SINTER_LINALG(Tensor&, multi_dot_out, (Tensor & result, TensorList tensors), (result, tensors))
///@}
/// Returns sinter::matmul or sinter::cross, of the same sizes and with the same errors. Throws
/// Error if sizes do not fit or dtypes differ, and NotImplementedError for Bool.
///@{
SINTER_LINALG(Tensor, matmul, (const tensor_base& a, const tensor_base& b), (a, b))
SINTER_LINALG(Tensor&, matmul_out, (Tensor & result, const Tensor& a, const Tensor& b),
              (result, a, b))
SINTER_LINALG(Tensor, cross, (const tensor_base& a, const tensor_base& b, int64_t dim = -1),
              (a, b, dim))
SINTER_LINALG(Tensor&, cross_out,
              (Tensor & result, const Tensor& a, const Tensor& b, int64_t dim = -1),
              (result, a, b, dim))
///@}
/// Returns sum(conj(x) * y) over `dim`, which the result lacks; sizes broadcast. Throws Error if
/// they do not or dtypes differ, IndexError if there is no such dimension, and NotImplementedError
/// unless floating or complex.
///@{
SINTER_LINALG(Tensor, vecdot, (const tensor_base& x, const tensor_base& y, int64_t dim = -1),
              (x, y, dim))
SINTER_LINALG(Tensor&, vecdot_out,
              (Tensor & result, const Tensor& x, const Tensor& y, int64_t dim = -1),
              (result, x, y, dim))
///@}
/// Returns the diagonals of matrices, as a view: without dim1 and dim2, and with the diagonal as a
/// last dimension. Throws Error if dim1 and dim2 are the same, and IndexError if there is no such
/// dimension.
SINTER_LINALG(Tensor, diagonal,
              (const tensor_base& A, int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1),
              (A, offset, dim1, dim2))
/// Returns the powers 0 to N - 1 of the elements (..., n) as matrices (..., n, N), one power a
/// column; N is n by default. Integers become Long. Throws Error for fewer than 2 columns, and
/// NotImplementedError for Bool, Half and BFloat16.
SINTER_LINALG(Tensor, vander, (const tensor_base& x, optional<int64_t> N = nullopt), (x, N))

// ---- names without `linalg_`
/// linalg_inv(): the inverse of A (..., n, n). Throws what that throws.
///@{
SINTER_API Tensor inverse(const tensor_base& A, SINTER_LINE);
SINTER_API Tensor& inverse_out(Tensor& result, const Tensor& A, SINTER_LINE);
///@}
/// linalg_pinv() with rtol `rcond`: sizes (..., m, n) give (..., n, m). Throws what that throws.
SINTER_API Tensor pinverse(const tensor_base& A, double rcond = 1e-15, SINTER_LINE);
/// linalg_det() and linalg_slogdet(): sizes (..., n, n) give (...). Throws what these throw.
///@{
SINTER_API Tensor det(const tensor_base& A);
SINTER_API std::tuple<Tensor, Tensor> slogdet(const tensor_base& A);
///@}
/// Returns log(det A), (...), of A (..., n, n); NaN if the determinant of a real matrix is
/// negative. Throws Error if A is not square, and NotImplementedError for another dtype.
SINTER_API Tensor logdet(const tensor_base& A);
/// Returns the sum of a matrix's diagonal, 0-d; integers become Long. Throws Error unless A is a
/// matrix, and NotImplementedError for Bool.
SINTER_API Tensor trace(const tensor_base& A);
/// linalg_matrix_exp(): exp(A) of A (..., n, n). Throws what that throws.
SINTER_API Tensor matrix_exp(const tensor_base& A);
/// linalg_matrix_power(): the n-th power of A (..., n, n). Throws what that throws.
///@{
SINTER_API Tensor matrix_power(const tensor_base& A, int64_t n, SINTER_LINE);
SINTER_API Tensor& matrix_power_out(Tensor& result, const Tensor& A, int64_t n, SINTER_LINE);
///@}
/// linalg_cholesky(): a factor of A (..., n, n). Throws what that throws.
///@{
SINTER_API Tensor cholesky(const tensor_base& A, bool upper = false, SINTER_LINE);
SINTER_API Tensor& cholesky_out(Tensor& result, const Tensor& A, bool upper = false, SINTER_LINE);
///@}
/// Returns (L L^H)^-1, or (U^H U)^-1 if `upper`, (..., n, n), from a Cholesky factor of these
/// sizes. Runs: at its line (potri). Throws LinAlgError if the factor is singular, Error if it is
/// not square, and NotImplementedError for another dtype.
///@{
SINTER_API Tensor cholesky_inverse(const tensor_base& L, bool upper = false, SINTER_LINE);
SINTER_API Tensor& cholesky_inverse_out(Tensor& result, const Tensor& L, bool upper = false,
                                        SINTER_LINE);
///@}
/// Returns X of L L^H X = B, or U^H U X = B if `upper`, of B's sizes (..., n, k) with the broadcast
/// batch. Runs: library (potrs). Throws Error if L is not square, sizes do not fit or dtypes
/// differ, and NotImplementedError for another dtype.
///@{
SINTER_API Tensor cholesky_solve(const tensor_base& B, const tensor_base& L, bool upper = false);
SINTER_API Tensor& cholesky_solve_out(Tensor& result, const Tensor& B, const Tensor& L,
                                      bool upper = false);
///@}
/// linalg_qr() of A (..., m, n): reduced if `some`, else complete. Throws what that throws.
SINTER_API std::tuple<Tensor, Tensor> qr(const tensor_base& A, bool some = true);
/// Returns U, S and V (not Vh) of A (..., m, n), reduced if `some`, as linalg_svd(); without
/// `compute_uv`, U (..., m, m) and V (..., n, n) are zeros. Throws what linalg_svd() throws.
SINTER_API std::tuple<Tensor, Tensor, Tensor> svd(const tensor_base& A, bool some = true,
                                                  bool compute_uv = true, SINTER_LINE);
/// Returns U (..., m, q), S (..., q) and V (..., n, q) of about the `q` largest singular values of
/// A (..., m, n), or of A - M: `niter` steps of subspace iteration from random vectors (Halko,
/// Martinsson and Tropp). Throws Error if A is no matrix, q or niter is negative, or M does not
/// broadcast to A; LinAlgError for NaN and infinities; NotImplementedError for another dtype.
SINTER_API std::tuple<Tensor, Tensor, Tensor> svd_lowrank(const tensor_base& A, int64_t q = 6,
                                                          int64_t niter = 2,
                                                          const optional<Tensor>& M = nullopt);
/// Returns LAPACK's geqrf: R on and above the diagonal and reflectors below it (..., m, n), and
/// their factors tau (..., k). Throws Error if A is no matrix, and NotImplementedError for another
/// dtype.
SINTER_API std::tuple<Tensor, Tensor> geqrf(const tensor_base& A);
/// linalg_householder_product(): the first n columns of Q from A (..., m, n). Throws what that
/// throws.
SINTER_API Tensor orgqr(const tensor_base& A, const tensor_base& tau);
/// Returns Q C, or C Q if not `left`, with Q^H for Q if `transpose`, in C's sizes; A (..., m, n)
/// and tau are those of geqrf(). Throws Error if sizes do not fit or dtypes differ, and
/// NotImplementedError for another dtype.
SINTER_API Tensor ormqr(const tensor_base& A, const tensor_base& tau, const tensor_base& C,
                        bool left = true, bool transpose = false);
/// Returns X (..., n, k) of A X = B, or of A^T X = B if `transpose`, and a copy of A (..., n, n).
/// Throws what linalg_solve_triangular() throws.
SINTER_API std::tuple<Tensor, Tensor> triangular_solve(const tensor_base& B, const tensor_base& A,
                                                       bool upper = true, bool transpose = false,
                                                       bool unitriangular = false);
/// Returns P (..., m, m), L (..., m, k) and U (..., k, n) from the results of linalg_lu_factor();
/// parts that are not asked for are empty. The pivots are read at the call. Throws Error if sizes
/// do not fit, pivots are not Int or name no row, and NotImplementedError for another dtype.
SINTER_API std::tuple<Tensor, Tensor, Tensor> lu_unpack(const tensor_base& LU,
                                                        const tensor_base& pivots,
                                                        bool unpack_data = true,
                                                        bool unpack_pivots = true);
/// Returns X (..., n, k) of A X = B: linalg_lu_solve() with other arguments. Throws what that
/// throws.
SINTER_API Tensor lu_solve(const tensor_base& B, const tensor_base& LU, const tensor_base& pivots);

#undef SINTER_LINALG
#undef SINTER_LINE

}  // namespace sinter::inline v1
