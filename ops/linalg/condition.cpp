// Condition numbers, by singular values or by the norms of a matrix and its inverse.
#include "ops/common/out.hpp"
#include "ops/linalg/checks.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>

#include <cmath>
#include <limits>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

constexpr const char* name = "linalg_cond";

[[noreturn]] void no_such_norm(const std::string& got) {
    fail<ValueError>(name, "the order is unknown", got, ops::matrix_orders, "2, the default");
}

const TensorImpl& matrix(const tensor_base& A) {
    const TensorImpl& t = body(name, A);
    ops::require_dims_from(name, t, 2, "unsqueeze(-1), which makes a vector a column");
    return t;
}

/// The condition number of an empty matrix is 0.
Tensor nothing(const TensorImpl& t) { return zeros(ops::batch_of(t), toRealValueType(t.dtype)); }

/// A singular matrix, and one with a NaN, has condition inf.
template <class Order>
Tensor by_inverse(const tensor_base& A, const Order& p, const source_line& line) {
    ops::square_matrices(name, A);
    const auto [inverse, info] = linalg_inv_ex(A, false, line);
    const Tensor product = linalg_matrix_norm(A, p, {-2, -1}, false, nullopt, line) *
                           linalg_matrix_norm(inverse, p, {-2, -1}, false, nullopt, line);
    return where((info > 0).logical_or(isnan(product)), std::numeric_limits<double>::infinity(),
                 product);
}

}  // namespace

Tensor linalg_cond(const tensor_base& A, const optional<Scalar>& p, const source_line& line) {
    const double order = p ? p->toDouble() : 2, size = std::abs(order);
    const TensorImpl& t = matrix(A);
    if (size != 1 && size != 2 && !std::isinf(size)) no_such_norm(runtime::to_text(*p));
    if (t.shape->numel == 0) return nothing(t);
    ops::require_lapack_dtype(name, t.dtype);
    if (size != 2) return by_inverse(A, *p, line);
    const Tensor values = linalg_svdvals(A, nullopt, line);
    const Tensor largest = values.select(-1, 0), smallest = values.select(-1, -1);
    return order > 0 ? largest / smallest : smallest / largest;
}

Tensor linalg_cond(const tensor_base& A, named_norm named, const source_line& line) {
    const std::string_view p = named;
    const TensorImpl& t = matrix(A);
    if (p != "fro" && p != "nuc") no_such_norm(text('"', p, '"'));
    ops::square_matrices(name, A);
    if (t.shape->numel == 0) return nothing(t);
    if (p == "fro") return by_inverse(A, p, line);
    const Tensor values = linalg_svdvals(A, nullopt, line);
    return values.sum(-1) * reciprocal(values).sum(-1);
}

Tensor& linalg_cond_out(Tensor& result, const Tensor& A, const optional<Scalar>& p,
                        const source_line& line) {
    return ops::store("linalg_cond_out", result, linalg_cond(A, p, line));
}
Tensor& linalg_cond_out(Tensor& result, const Tensor& A, named_norm named,
                        const source_line& line) {
    return ops::store("linalg_cond_out", result, linalg_cond(A, named, line));
}

}  // namespace sinter::inline v1
