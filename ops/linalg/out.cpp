// The _out variants of linear algebra: each stores the results of the function without `_out`.
#include "ops/common/out.hpp"

#include <sinter/functions/linalg.hpp>

#include <utility>

namespace sinter::inline v1 {

using ops::store;

namespace {

/// Stores each result in the output of the same position.
template <class Outs, class Results>
Outs store_all(const char* op, const Outs& to, const Results& from) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (store(op, std::get<I>(to), std::get<I>(from)), ...);
    }(std::make_index_sequence<std::tuple_size_v<Outs>>());
    return to;
}

}  // namespace

// ---- systems
Tensor& linalg_solve_out(Tensor& result, const Tensor& A, const Tensor& B, bool left,
                         const source_line& line) {
    return store("linalg_solve_out", result, linalg_solve(A, B, left, line));
}
detail::two_outs linalg_solve_ex_out(Tensor& result, Tensor& info, const Tensor& A, const Tensor& B,
                                     bool left, bool check_errors, const source_line& line) {
    return store_all("linalg_solve_ex_out", detail::two_outs(result, info),
                     linalg_solve_ex(A, B, left, check_errors, line));
}
Tensor& linalg_solve_triangular_out(Tensor& result, const Tensor& A, const Tensor& B, bool upper,
                                    bool left, bool unitriangular) {
    return store("linalg_solve_triangular_out", result,
                 linalg_solve_triangular(A, B, upper, left, unitriangular));
}
Tensor& linalg_inv_out(Tensor& result, const Tensor& A, const source_line& line) {
    return store("linalg_inv_out", result, linalg_inv(A, line));
}
detail::two_outs linalg_inv_ex_out(Tensor& result, Tensor& info, const Tensor& A, bool check_errors,
                                   const source_line& line) {
    return store_all("linalg_inv_ex_out", detail::two_outs(result, info),
                     linalg_inv_ex(A, check_errors, line));
}
Tensor& inverse_out(Tensor& result, const Tensor& A, const source_line& line) {
    return store("inverse_out", result, linalg_inv(A, line));
}
Tensor& linalg_det_out(Tensor& result, const Tensor& A) {
    return store("linalg_det_out", result, linalg_det(A));
}
detail::two_outs linalg_slogdet_out(Tensor& sign, Tensor& logabsdet, const Tensor& A) {
    return store_all("linalg_slogdet_out", detail::two_outs(sign, logabsdet), linalg_slogdet(A));
}

// ---- factors
detail::three_outs linalg_lu_out(Tensor& P, Tensor& L, Tensor& U, const Tensor& A, bool pivot) {
    return store_all("linalg_lu_out", detail::three_outs(P, L, U), linalg_lu(A, pivot));
}
detail::two_outs linalg_lu_factor_out(Tensor& LU, Tensor& pivots, const Tensor& A, bool pivot,
                                      const source_line& line) {
    return store_all("linalg_lu_factor_out", detail::two_outs(LU, pivots),
                     linalg_lu_factor(A, pivot, line));
}
detail::three_outs linalg_lu_factor_ex_out(Tensor& LU, Tensor& pivots, Tensor& info,
                                           const Tensor& A, bool pivot, bool check_errors,
                                           const source_line& line) {
    return store_all("linalg_lu_factor_ex_out", detail::three_outs(LU, pivots, info),
                     linalg_lu_factor_ex(A, pivot, check_errors, line));
}
Tensor& linalg_lu_solve_out(Tensor& result, const Tensor& LU, const Tensor& pivots, const Tensor& B,
                            bool left, bool adjoint) {
    return store("linalg_lu_solve_out", result, linalg_lu_solve(LU, pivots, B, left, adjoint));
}
Tensor& linalg_cholesky_out(Tensor& result, const Tensor& A, bool upper, const source_line& line) {
    return store("linalg_cholesky_out", result, linalg_cholesky(A, upper, line));
}
detail::two_outs linalg_cholesky_ex_out(Tensor& result, Tensor& info, const Tensor& A, bool upper,
                                        bool check_errors, const source_line& line) {
    return store_all("linalg_cholesky_ex_out", detail::two_outs(result, info),
                     linalg_cholesky_ex(A, upper, check_errors, line));
}
Tensor& cholesky_out(Tensor& result, const Tensor& A, bool upper, const source_line& line) {
    return store("cholesky_out", result, linalg_cholesky(A, upper, line));
}
Tensor& cholesky_inverse_out(Tensor& result, const Tensor& L, bool upper, const source_line& line) {
    return store("cholesky_inverse_out", result, cholesky_inverse(L, upper, line));
}
Tensor& cholesky_solve_out(Tensor& result, const Tensor& B, const Tensor& L, bool upper) {
    return store("cholesky_solve_out", result, cholesky_solve(B, L, upper));
}
detail::two_outs linalg_ldl_factor_out(Tensor& LD, Tensor& pivots, const Tensor& A, bool hermitian,
                                       const source_line& line) {
    return store_all("linalg_ldl_factor_out", detail::two_outs(LD, pivots),
                     linalg_ldl_factor(A, hermitian, line));
}
detail::three_outs linalg_ldl_factor_ex_out(Tensor& LD, Tensor& pivots, Tensor& info,
                                            const Tensor& A, bool hermitian, bool check_errors,
                                            const source_line& line) {
    return store_all("linalg_ldl_factor_ex_out", detail::three_outs(LD, pivots, info),
                     linalg_ldl_factor_ex(A, hermitian, check_errors, line));
}
Tensor& linalg_ldl_solve_out(Tensor& result, const Tensor& LD, const Tensor& pivots,
                             const Tensor& B, bool hermitian) {
    return store("linalg_ldl_solve_out", result, linalg_ldl_solve(LD, pivots, B, hermitian));
}
detail::two_outs linalg_qr_out(Tensor& Q, Tensor& R, const Tensor& A, std::string_view mode) {
    return store_all("linalg_qr_out", detail::two_outs(Q, R), linalg_qr(A, mode));
}
Tensor& linalg_householder_product_out(Tensor& result, const Tensor& A, const Tensor& tau) {
    return store("linalg_householder_product_out", result, linalg_householder_product(A, tau));
}

// ---- singular values, eigenvalues, least squares
detail::three_outs linalg_svd_out(Tensor& U, Tensor& S, Tensor& Vh, const Tensor& A,
                                  bool full_matrices, optional<std::string_view> driver,
                                  const source_line& line) {
    return store_all("linalg_svd_out", detail::three_outs(U, S, Vh),
                     linalg_svd(A, full_matrices, driver, line));
}
Tensor& linalg_svdvals_out(Tensor& S, const Tensor& A, optional<std::string_view> driver,
                           const source_line& line) {
    return store("linalg_svdvals_out", S, linalg_svdvals(A, driver, line));
}
detail::two_outs linalg_eig_out(Tensor& eigenvalues, Tensor& eigenvectors, const Tensor& A,
                                const source_line& line) {
    return store_all("linalg_eig_out", detail::two_outs(eigenvalues, eigenvectors),
                     linalg_eig(A, line));
}
Tensor& linalg_eigvals_out(Tensor& eigenvalues, const Tensor& A, const source_line& line) {
    return store("linalg_eigvals_out", eigenvalues, linalg_eigvals(A, line));
}
detail::two_outs linalg_eigh_out(Tensor& eigenvalues, Tensor& eigenvectors, const Tensor& A,
                                 std::string_view UPLO, const source_line& line) {
    return store_all("linalg_eigh_out", detail::two_outs(eigenvalues, eigenvectors),
                     linalg_eigh(A, UPLO, line));
}
Tensor& linalg_eigvalsh_out(Tensor& eigenvalues, const Tensor& A, std::string_view UPLO,
                            const source_line& line) {
    return store("linalg_eigvalsh_out", eigenvalues, linalg_eigvalsh(A, UPLO, line));
}
detail::four_outs linalg_lstsq_out(Tensor& solution, Tensor& residuals, Tensor& rank,
                                   Tensor& singular_values, const Tensor& A, const Tensor& B,
                                   optional<double> rcond, optional<std::string_view> driver,
                                   const source_line& line) {
    return store_all("linalg_lstsq_out",
                     detail::four_outs(solution, residuals, rank, singular_values),
                     linalg_lstsq(A, B, rcond, driver, line));
}

}  // namespace sinter::inline v1
