// Linear algebra. A name that ends in `_of` composes several functions, since their intermediate
// results have no recipe. `_shapes_of` gives zeros if the elements are not unique.
#include "tests/golden/table.hpp"

#include <algorithm>
#include <utility>

namespace sinter::golden {
namespace {

optional<double> number(const arguments& a, std::size_t i) {
    if (a.is_none(i)) return nullopt;
    return a.s(i).toDouble();
}

optional<std::string_view> text(const arguments& a, std::size_t i) {
    if (a.is_none(i)) return nullopt;
    return std::string_view(a.text(i));
}

/// The values are those of the CPU, whose default driver a GPU does not have.
optional<std::string_view> driver(const arguments& a, std::size_t i) {
    if (a.is_none(i) && a.t(0).is_cuda()) return "gelsy";
    return text(a, i);
}

optional<Tensor> tensor_of(const arguments& a, std::size_t i) {
    if (a.is_none(i)) return nullopt;
    return a.t(i);
}

template <class... T>
results shapes(const std::tuple<T...>& ts) {
    return std::apply([](const T&... t) { return results{zeros_like(t)...}; }, ts);
}

/// Returns LU and pivots of any matrix.
std::pair<Tensor, Tensor> lu_of(const Tensor& a) {
    const auto [lu, pivots, info] = linalg::lu_factor_ex(a);
    return {lu, pivots};
}

/// Sorted by real parts, and of a pair the one above the real axis first, because LAPACKs differ in
/// their order.
Tensor ordered(const Tensor& w) { return w.gather(-1, sinter::real(w).argsort(true, -1)); }

results pinv_call(const arguments& a) {
    if (a.is_tensor(1) || a.is_tensor(2))
        return give(linalg::pinv(a.t(0), tensor_of(a, 1), tensor_of(a, 2), a.flag(3)));
    return give(linalg::pinv(a.t(0), number(a, 1), number(a, 2), a.flag(3)));
}

results rank_call(const arguments& a) {
    if (a.is_tensor(1) || a.is_tensor(2))
        return give(linalg::matrix_rank(a.t(0), tensor_of(a, 1), tensor_of(a, 2), a.flag(3)));
    return give(linalg::matrix_rank(a.t(0), number(a, 1), number(a, 2), a.flag(3)));
}

void add_systems(function_table& table) {
    SINTER_CALL(linalg_solve, linalg::solve(a.t(0), a.t(1), a.flag(2)));
    SINTER_CALL(linalg_solve_ex, linalg::solve_ex(a.t(0), a.t(1), a.flag(2), a.flag(3)));
    SINTER_CALL(linalg_solve_triangular,
                linalg::solve_triangular(a.t(0), a.t(1), a.flag(2), a.flag(3), a.flag(4)));
    SINTER_CALL(triangular_solve,
                triangular_solve(a.t(0), a.t(1), a.flag(2), a.flag(3), a.flag(4)));
    table["lu_solve_of"].call = [](const arguments& a) -> results {
        const auto [lu, pivots] = linalg::lu_factor(a.t(0));
        return give(linalg::lu_solve(lu, pivots, a.t(1), a.flag(2), a.flag(3)));
    };
    SINTER_CALL(cholesky_solve_of,
                cholesky_solve(a.t(1), linalg::cholesky(a.t(0), a.flag(2)), a.flag(2)));
    table["ldl_solve_of"].call = [](const arguments& a) -> results {
        const auto [ld, pivots] = linalg::ldl_factor(a.t(0), a.flag(2));
        return give(linalg::ldl_solve(ld, pivots, a.t(1), a.flag(2)));
    };
    SINTER_CALL(linalg_lstsq, linalg::lstsq(a.t(0), a.t(1), number(a, 2), driver(a, 3)));
}

void add_inverses(function_table& table) {
    SINTER_CALL(linalg_inv, linalg::inv(a.t(0)));
    SINTER_CALL(linalg_inv_ex, linalg::inv_ex(a.t(0), a.flag(1)));
    SINTER_CALL(inverse, inverse(a.t(0)));
    table["linalg_pinv"].call = pinv_call;
    SINTER_CALL(linalg_pinv_of_rcond, linalg::pinv(a.t(0), a.s(1).toDouble(), a.flag(2)));
    SINTER_CALL(pinverse, pinverse(a.t(0), a.s(1).toDouble()));
    SINTER_CALL(cholesky_inverse_of,
                cholesky_inverse(linalg::cholesky(a.t(0), a.flag(1)), a.flag(1)));
    SINTER_CALL(linalg_tensorinv, linalg::tensorinv(a.t(0), a.n(1)));
    table["linalg_tensorsolve"].call = [](const arguments& a) -> results {
        const std::vector<int64_t> dims = a.list(2);
        if (a.is_none(2)) return give(linalg::tensorsolve(a.t(0), a.t(1)));
        return give(linalg::tensorsolve(a.t(0), a.t(1), dims));
    };
    SINTER_CALL(linalg_det, linalg::det(a.t(0)));
    SINTER_CALL(linalg_slogdet, linalg::slogdet(a.t(0)));
    SINTER_CALL(det, det(a.t(0)));
    SINTER_CALL(slogdet, slogdet(a.t(0)));
    SINTER_CALL(logdet, logdet(a.t(0)));
}

void add_factors(function_table& table) {
    SINTER_CALL(linalg_lu, linalg::lu(a.t(0), a.flag(1)));
    SINTER_CALL(linalg_lu_factor, linalg::lu_factor(a.t(0)));
    SINTER_CALL(linalg_lu_factor_ex, linalg::lu_factor_ex(a.t(0), a.flag(1), a.flag(2)));
    table["lu_unpack_of"].call = [](const arguments& a) -> results {
        const auto [lu, pivots] = lu_of(a.t(0));
        return give(lu_unpack(lu, pivots, a.flag(1), a.flag(2)));
    };
    SINTER_CALL(linalg_cholesky, linalg::cholesky(a.t(0), a.flag(1)));
    SINTER_CALL(linalg_cholesky_ex, linalg::cholesky_ex(a.t(0), a.flag(1), a.flag(2)));
    SINTER_CALL(cholesky_info_of, std::get<1>(linalg::cholesky_ex(a.t(0))));
    SINTER_CALL(cholesky, cholesky(a.t(0), a.flag(1)));
    SINTER_CALL(linalg_ldl_factor, linalg::ldl_factor(a.t(0), a.flag(1)));
    SINTER_CALL(linalg_ldl_factor_ex, linalg::ldl_factor_ex(a.t(0), a.flag(1), a.flag(2)));
    SINTER_CALL(linalg_qr, linalg::qr(a.t(0), a.text(1)));
    SINTER_CALL(qr, qr(a.t(0), a.flag(1)));
    SINTER_CALL(geqrf, geqrf(a.t(0)));
    SINTER_CALL(linalg_householder_product, linalg::householder_product(a.t(0), a.t(1)));
    table["householder_of"].call = [](const arguments& a) -> results {
        const auto [r, tau] = geqrf(a.t(0));
        return give(linalg::householder_product(r, tau));
    };
    table["householder_less_of"].call = [](const arguments& a) -> results {
        const auto [r, tau] = geqrf(a.t(0));
        const int64_t less = std::max<int64_t>(0, tau.size(-1) - 1);
        return give(linalg::householder_product(r, tau.narrow(-1, 0, less)));
    };
    table["orgqr_of"].call = [](const arguments& a) -> results {
        const auto [r, tau] = geqrf(a.t(0));
        return give(orgqr(r, tau));
    };
    table["ormqr_of"].call = [](const arguments& a) -> results {
        const auto [r, tau] = geqrf(a.t(0));
        return give(ormqr(r, tau, a.t(1), a.flag(2), a.flag(3)));
    };
}

void add_values(function_table& table) {
    SINTER_CALL(linalg_svdvals, linalg::svdvals(a.t(0), text(a, 1)));
    SINTER_CALL(svd_s_of, std::get<1>(linalg::svd(a.t(0), a.flag(1))));
    SINTER_CALL(linalg_eigvals, ordered(linalg::eigvals(a.t(0))));
    SINTER_CALL(eig_values_of, ordered(std::get<0>(linalg::eig(a.t(0)))));
    SINTER_CALL(linalg_eigvalsh, linalg::eigvalsh(a.t(0), a.text(1)));
    SINTER_CALL(eigh_values_of, std::get<0>(linalg::eigh(a.t(0), a.text(1))));
    table["svd_shapes_of"].call = [](const arguments& a) {
        return shapes(linalg::svd(a.t(0), a.flag(1)));
    };
    table["old_svd_shapes_of"].call = [](const arguments& a) {
        return shapes(sinter::svd(a.t(0), a.flag(1), a.flag(2)));
    };
    table["eigh_shapes_of"].call = [](const arguments& a) { return shapes(linalg::eigh(a.t(0))); };
    table["eig_shapes_of"].call = [](const arguments& a) { return shapes(linalg::eig(a.t(0))); };
    table["linalg_matrix_rank"].call = rank_call;
    SINTER_CALL(linalg_matrix_rank_of_tol,
                linalg::matrix_rank(a.t(0), a.s(1).toDouble(), a.flag(2)));
    table["linalg_cond"].call = [](const arguments& a) -> results {
        if (!a.is_none(1) && a.is_text(1)) return give(linalg::cond(a.t(0), a.text(1)));
        return give(linalg::cond(a.t(0), a.os(1)));
    };
}

void add_norms(function_table& table) {
    table["linalg_vector_norm"].call = [](const arguments& a) -> results {
        const std::vector<int64_t> dims = a.list(2);
        if (a.is_none(2))
            return give(linalg::vector_norm(a.t(0), a.s(1), nullopt, a.flag(3), a.dtype(4)));
        return give(linalg::vector_norm(a.t(0), a.s(1), dims, a.flag(3), a.dtype(4)));
    };
    table["linalg_matrix_norm"].call = [](const arguments& a) -> results {
        const std::vector<int64_t> dims = a.list(2);
        if (a.is_text(1))
            return give(linalg::matrix_norm(a.t(0), a.text(1), dims, a.flag(3), a.dtype(4)));
        return give(linalg::matrix_norm(a.t(0), a.s(1), dims, a.flag(3), a.dtype(4)));
    };
    table["linalg_norm"].call = [](const arguments& a) -> results {
        const std::vector<int64_t> list = a.list(2);
        OptionalIntArrayRef dims;
        if (!a.is_none(2)) dims = list;
        if (a.is_text(1)) return give(linalg::norm(a.t(0), a.text(1), dims, a.flag(3), a.dtype(4)));
        return give(linalg::norm(a.t(0), a.os(1), dims, a.flag(3), a.dtype(4)));
    };
    SINTER_CALL(matrix_exp, matrix_exp(a.t(0)));
    SINTER_CALL(linalg_matrix_exp, linalg::matrix_exp(a.t(0)));
}

}  // namespace

void add_linalg(function_table& table) {
    add_systems(table);
    add_inverses(table);
    add_factors(table);
    add_values(table);
    add_norms(table);
}

}  // namespace sinter::golden
