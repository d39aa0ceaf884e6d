// Pseudo-inverses and ranks: singular values up to a tolerance count as 0.
#include "ops/common/out.hpp"
#include "ops/linalg/checks.hpp"
#include "ops/linalg/gradients.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/reductions.hpp>
#include <sinter/limits.hpp>

#include <algorithm>

namespace sinter::inline v1 {
namespace {

using ops::body;
using ops::cols;
using ops::rows;
using ops::store;
using runtime::fail;
using runtime::text;

constexpr const char* pinv_name = "linalg_pinv";
constexpr const char* rank_name = "linalg_matrix_rank";

/// An absolute tolerance, and one relative to the largest value. Each is one number for all
/// matrices, or one per matrix with a last dimension of size 1.
struct tolerance {
    Tensor absolute, relative;

    /// Returns the largest values that count as 0.
    Tensor below(const Tensor& largest) const { return maximum(absolute, largest * relative); }
};

double usual_relative(const TensorImpl& t) {
    return finfo(toRealValueType(t.dtype)).eps * static_cast<double>(std::max(rows(t), cols(t)));
}

Tensor one_for_all(double value) { return full({1}, value, kDouble); }

tolerance tolerance_of(const TensorImpl& t, optional<double> atol, optional<double> rtol) {
    const double usual = atol.value_or(0) > 0 ? 0 : usual_relative(t);
    return {one_for_all(atol.value_or(0)), one_for_all(rtol.value_or(usual))};
}

tolerance tolerance_of(const char* op, const TensorImpl& t, const optional<Tensor>& atol,
                       const optional<Tensor>& rtol) {
    const auto each = [&](const char* what, const Tensor& values) {
        const ScalarType type = body(op, values).dtype;
        if (isComplexType(type))
            fail(op, text("the ", what, " tolerance is complex"), toString(type), "a real dtype",
                 "real() on the tolerance");
        return values.unsqueeze(-1);
    };
    if (!atol && !rtol) return tolerance_of(t, optional<double>(), optional<double>());
    const Tensor absolute = atol ? each("absolute", *atol) : one_for_all(0);
    if (rtol) return {absolute, each("relative", *rtol)};
    return {absolute, where(absolute > 0, 0., usual_relative(t)).to(kDouble)};
}

Tensor computed_pinv(const tensor_base& A, const tolerance& zero, bool hermitian,
                     const source_line& line) {
    const TensorImpl& t = body(pinv_name, A);
    if (t.shape->numel == 0) {
        std::vector<int64_t> sizes = ops::batch_of(t).vec();
        sizes.insert(sizes.end(), {cols(t), rows(t)});
        return zeros(sizes, ops::beside(t, t.dtype));
    }
    if (hermitian) {
        const auto [values, vectors] = linalg_eigh(A, "L", line);
        const Tensor size = abs(values);
        const Tensor inverse = where(size > zero.below(size.amax(-1, true)), 1 / values, 0);
        return (vectors * inverse.unsqueeze(-2)).matmul(vectors.mH());
    }
    const auto [U, S, Vh] = linalg_svd(A, false, nullopt, line);
    const Tensor inverse = where(S > zero.below(S.narrow(-1, 0, 1)), 1 / S, 0);
    return (Vh.mH() * inverse.unsqueeze(-2)).matmul(U.mH());
}

/// Tolerances have no gradients.
Tensor pinv_within(const tensor_base& A, const tolerance& zero, bool hermitian,
                   const source_line& line) {
    return autograd::with_rule(
        pinv_name, {&A}, {1, 1}, [&] { return computed_pinv(A, zero, hermitian, line); },
        [](const autograd::rule_call& c) -> autograd::variable_list {
            return {ops::gradient_of_pinv(c.grad(), c.result(), c.operand(0))};
        });
}

Tensor rank_within(const tensor_base& A, const tolerance& zero, bool hermitian,
                   const source_line& line) {
    const TensorImpl& t = body(rank_name, A);
    if (t.shape->numel == 0) return zeros(ops::batch_of(t), ops::beside(t, kLong));
    const Tensor values =
        hermitian ? Tensor(abs(linalg_eigvalsh(A, "L", line))) : linalg_svdvals(A, nullopt, line);
    return (values > zero.below(values.amax(-1, true))).sum(-1);
}

}  // namespace

// ---- pinv
Tensor linalg_pinv(const tensor_base& A, optional<double> atol, optional<double> rtol,
                   bool hermitian, const source_line& line) {
    return pinv_within(A, tolerance_of(ops::matrices(pinv_name, A), atol, rtol), hermitian, line);
}
Tensor linalg_pinv(const tensor_base& A, std::nullopt_t, std::nullopt_t, bool hermitian,
                   const source_line& line) {
    return linalg_pinv(A, optional<double>(), optional<double>(), hermitian, line);
}
Tensor linalg_pinv(const tensor_base& A, double rcond, bool hermitian, const source_line& line) {
    return linalg_pinv(A, optional<double>(0), optional<double>(rcond), hermitian, line);
}
Tensor linalg_pinv(const tensor_base& A, const optional<Tensor>& atol, const optional<Tensor>& rtol,
                   bool hermitian, const source_line& line) {
    const TensorImpl& t = ops::matrices(pinv_name, A);
    return pinv_within(A, tolerance_of(pinv_name, t, atol, rtol), hermitian, line);
}
Tensor linalg_pinv(const tensor_base& A, const tensor_base& rcond, bool hermitian,
                   const source_line& line) {
    return linalg_pinv(A, optional<Tensor>(), optional<Tensor>(rcond.self()), hermitian, line);
}
Tensor& linalg_pinv_out(Tensor& result, const Tensor& A, optional<double> atol,
                        optional<double> rtol, bool hermitian, const source_line& line) {
    return store("linalg_pinv_out", result, linalg_pinv(A, atol, rtol, hermitian, line));
}
Tensor& linalg_pinv_out(Tensor& result, const Tensor& A, double rcond, bool hermitian,
                        const source_line& line) {
    return store("linalg_pinv_out", result, linalg_pinv(A, rcond, hermitian, line));
}
Tensor& linalg_pinv_out(Tensor& result, const Tensor& A, const optional<Tensor>& atol,
                        const optional<Tensor>& rtol, bool hermitian, const source_line& line) {
    return store("linalg_pinv_out", result, linalg_pinv(A, atol, rtol, hermitian, line));
}
Tensor& linalg_pinv_out(Tensor& result, const Tensor& A, const Tensor& rcond, bool hermitian,
                        const source_line& line) {
    return store("linalg_pinv_out", result, linalg_pinv(A, rcond, hermitian, line));
}
Tensor pinverse(const tensor_base& A, double rcond, const source_line& line) {
    return linalg_pinv(A, rcond, false, line);
}
Tensor tensor_base::pinverse(double rcond, const source_line& line) const {
    return linalg_pinv(*this, rcond, false, line);
}

// ---- matrix_rank
Tensor linalg_matrix_rank(const tensor_base& A, optional<double> atol, optional<double> rtol,
                          bool hermitian, const source_line& line) {
    return rank_within(A, tolerance_of(ops::matrices(rank_name, A), atol, rtol), hermitian, line);
}
Tensor linalg_matrix_rank(const tensor_base& A, std::nullopt_t, std::nullopt_t, bool hermitian,
                          const source_line& line) {
    return linalg_matrix_rank(A, optional<double>(), optional<double>(), hermitian, line);
}
Tensor linalg_matrix_rank(const tensor_base& A, double tol, bool hermitian,
                          const source_line& line) {
    return linalg_matrix_rank(A, optional<double>(tol), optional<double>(0), hermitian, line);
}
Tensor linalg_matrix_rank(const tensor_base& A, const optional<Tensor>& atol,
                          const optional<Tensor>& rtol, bool hermitian, const source_line& line) {
    const TensorImpl& t = ops::matrices(rank_name, A);
    return rank_within(A, tolerance_of(rank_name, t, atol, rtol), hermitian, line);
}
Tensor linalg_matrix_rank(const tensor_base& A, const tensor_base& tol, bool hermitian,
                          const source_line& line) {
    return linalg_matrix_rank(A, optional<Tensor>(tol.self()),
                              optional<Tensor>(zeros({}, A.options().dtype(get_default_dtype()))),
                              hermitian, line);
}
Tensor& linalg_matrix_rank_out(Tensor& result, const Tensor& A, optional<double> atol,
                               optional<double> rtol, bool hermitian, const source_line& line) {
    return store("linalg_matrix_rank_out", result,
                 linalg_matrix_rank(A, atol, rtol, hermitian, line));
}
Tensor& linalg_matrix_rank_out(Tensor& result, const Tensor& A, double tol, bool hermitian,
                               const source_line& line) {
    return store("linalg_matrix_rank_out", result, linalg_matrix_rank(A, tol, hermitian, line));
}
Tensor& linalg_matrix_rank_out(Tensor& result, const Tensor& A, const optional<Tensor>& atol,
                               const optional<Tensor>& rtol, bool hermitian,
                               const source_line& line) {
    return store("linalg_matrix_rank_out", result,
                 linalg_matrix_rank(A, atol, rtol, hermitian, line));
}
Tensor& linalg_matrix_rank_out(Tensor& result, const Tensor& A, const Tensor& tol, bool hermitian,
                               const source_line& line) {
    return store("linalg_matrix_rank_out", result, linalg_matrix_rank(A, tol, hermitian, line));
}

}  // namespace sinter::inline v1
