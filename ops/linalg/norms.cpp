// Norms of vectors and matrices. Matrix norms by sums fuse; those by singular values run at the
// call.
#include "ops/reduce/norms.hpp"

#include "ops/common/opmath.hpp"
#include "ops/common/out.hpp"
#include "ops/linalg/checks.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>

#include <cmath>

namespace sinter::inline v1 {

using ops::body;
using ops::store;
using runtime::fail;
using runtime::text;

namespace {

constexpr const char* vector_name = "linalg_vector_norm";
constexpr const char* matrix_name = "linalg_matrix_norm";
constexpr const char* norm_name = "linalg_norm";

/// Returns the dtype to compute in; the result has its real type.
ScalarType norm_dtype(const char* op, const TensorImpl& t, const optional<ScalarType>& dtype) {
    ops::require_inexact(op, t.dtype);
    if (!dtype) return t.dtype;
    runtime::require_dtype(op, *dtype);
    if (!ops::is_inexact(*dtype) || isComplexType(*dtype) != isComplexType(t.dtype) ||
        promote_types(t.dtype, *dtype) != *dtype)
        ops::refuse_norm_dtype(op, t.dtype, *dtype);
    return *dtype;
}

double real_order(const char* op, const Scalar& ord) {
    if (ord.isComplex())
        fail(op, "the order is complex", runtime::to_text(ord), "a real number",
             "2, the Euclidean norm");
    return ord.toDouble();
}

enum class matrix_order { frobenius, nuclear, columns, rows, spectral };

struct order {
    matrix_order kind;
    bool largest;
};

[[noreturn]] void no_such_order(const std::string& got) {
    fail(matrix_name, "the order is unknown", got, ops::matrix_orders,
         "linalg_vector_norm(), which takes any number");
}

order order_of(std::string_view ord) {
    if (ord == "fro") return {matrix_order::frobenius, true};
    if (ord == "nuc") return {matrix_order::nuclear, true};
    no_such_order(text('"', ord, '"'));
}

order order_of(const Scalar& ord) {
    const double p = real_order(matrix_name, ord), size = std::abs(p);
    if (size == 1) return {matrix_order::columns, p > 0};
    if (size == 2) return {matrix_order::spectral, p > 0};
    if (std::isinf(p)) return {matrix_order::rows, p > 0};
    no_such_order(runtime::to_text(ord));
}

/// The largest of no sums is 0.
Tensor extreme(const Tensor& sums, int64_t dim, bool largest, bool keepdim) {
    if (!largest) return sums.amin(dim, keepdim);
    if (sums.size(dim) != 0) return sums.amax(dim, keepdim);
    return sums.sum(dim, keepdim);
}

Tensor norm_of_matrices(const tensor_base& A, order ord, IntArrayRef dim, bool keepdim,
                        const optional<ScalarType>& dtype, const source_line& line) {
    const TensorImpl& t = body(matrix_name, A);
    const ScalarType type = norm_dtype(matrix_name, t, dtype);
    const int64_t dims = t.shape->ndim;
    ops::require_dims_from(matrix_name, t, 2, "linalg_vector_norm()");
    if (dim.size() != 2)
        fail(matrix_name, "a matrix has two dimensions", text("dimensions ", dim), "two dimensions",
             "linalg_vector_norm(), which takes any number of them");
    const int64_t down = ops::wrap_dim(matrix_name, dim[0], dims);
    const int64_t across = ops::wrap_dim(matrix_name, dim[1], dims);
    if (down == across) ops::refuse_same_dims(matrix_name, dim[0], dim[1], "{-2, -1}, the default");
    const bool by_values = ord.kind == matrix_order::nuclear || ord.kind == matrix_order::spectral;
    if (by_values && ops::opmath_type(type) != type)
        runtime::refuse_dtype(matrix_name, toString(type), ops::lapack_dtypes,
                              "kFloat as the dtype");

    const ScalarType real_type = toRealValueType(type);
    const Tensor x = ops::to_opmath(A.to(type));
    if (ord.kind == matrix_order::frobenius)
        return ops::power_norm(x, 2, {down, across}, keepdim).to(real_type);
    if (by_values) {
        const Tensor values = linalg_svdvals(x.movedim({down, across}, {-2, -1}), nullopt, line);
        Tensor n = ord.kind == matrix_order::nuclear ? values.sum(-1)
                                                     : extreme(values, -1, ord.largest, false);
        if (!keepdim) return n;
        return n.unsqueeze(std::min(down, across)).unsqueeze(std::max(down, across));
    }
    const bool rows = ord.kind == matrix_order::rows;
    const Tensor sums = ops::power_norm(x, 1, rows ? across : down, true);
    const Tensor n = extreme(sums, rows ? down : across, ord.largest, true);
    return (keepdim ? n : n.squeeze({down, across})).to(real_type);
}

/// Throws Error if the dimensions describe neither a vector nor a matrix, as an order requires.
void require_kind(const TensorImpl& t, bool has_order, const OptionalIntArrayRef& dim) {
    if (dim && (*dim).size() != 1 && (*dim).size() != 2)
        fail(norm_name, "a vector has one dimension and a matrix two", text("dimensions ", *dim),
             "one or two dimensions", "linalg_vector_norm(), which takes any number of them");
    if (has_order && !dim && t.shape->ndim != 1 && t.shape->ndim != 2)
        fail(norm_name, "the tensor is neither a vector nor a matrix", ops::shape_of(t),
             "1 or 2 dimensions, or the argument dim", "passing dim, or linalg_vector_norm()");
}

}  // namespace

Tensor linalg_vector_norm(const tensor_base& x, const Scalar& ord, OptionalIntArrayRef dim,
                          bool keepdim, optional<ScalarType> dtype) {
    const TensorImpl& t = body(vector_name, x);
    const ScalarType type = norm_dtype(vector_name, t, dtype);
    const double p = real_order(vector_name, ord);
    const IntArrayRef dims = dim ? *dim : IntArrayRef();
    ops::require_value(vector_name, t, p, dims);
    return ops::power_norm(ops::to_opmath(x.to(type)), p, dims, keepdim).to(toRealValueType(type));
}

Tensor linalg_matrix_norm(const tensor_base& A, const Scalar& ord, IntArrayRef dim, bool keepdim,
                          optional<ScalarType> dtype, const source_line& line) {
    return norm_of_matrices(A, order_of(ord), dim, keepdim, dtype, line);
}
Tensor linalg_matrix_norm(const tensor_base& A, named_norm ord, IntArrayRef dim, bool keepdim,
                          optional<ScalarType> dtype, const source_line& line) {
    return norm_of_matrices(A, order_of(ord), dim, keepdim, dtype, line);
}

Tensor linalg_norm(const tensor_base& A, const optional<Scalar>& ord, OptionalIntArrayRef dim,
                   bool keepdim, optional<ScalarType> dtype, const source_line& line) {
    const TensorImpl& t = body(norm_name, A);
    require_kind(t, ord.has_value(), dim);
    const bool matrix = dim ? (*dim).size() == 2 : t.shape->ndim == 2;
    if (!ord || !matrix) return linalg_vector_norm(A, ord.value_or(2), dim, keepdim, dtype);
    return linalg_matrix_norm(A, *ord, dim ? *dim : IntArrayRef{-2, -1}, keepdim, dtype, line);
}
Tensor linalg_norm(const tensor_base& A, named_norm ord, OptionalIntArrayRef dim, bool keepdim,
                   optional<ScalarType> dtype, const source_line& line) {
    require_kind(body(norm_name, A), true, dim);
    return linalg_matrix_norm(A, ord, dim ? *dim : IntArrayRef{-2, -1}, keepdim, dtype, line);
}

// ---- out variants
Tensor& linalg_vector_norm_out(Tensor& result, const Tensor& x, const Scalar& ord,
                               OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype) {
    return store("linalg_vector_norm_out", result, linalg_vector_norm(x, ord, dim, keepdim, dtype));
}
Tensor& linalg_matrix_norm_out(Tensor& result, const Tensor& A, const Scalar& ord, IntArrayRef dim,
                               bool keepdim, optional<ScalarType> dtype, const source_line& line) {
    return store("linalg_matrix_norm_out", result,
                 linalg_matrix_norm(A, ord, dim, keepdim, dtype, line));
}
Tensor& linalg_matrix_norm_out(Tensor& result, const Tensor& A, named_norm ord, IntArrayRef dim,
                               bool keepdim, optional<ScalarType> dtype, const source_line& line) {
    return store("linalg_matrix_norm_out", result,
                 linalg_matrix_norm(A, ord, dim, keepdim, dtype, line));
}
Tensor& linalg_norm_out(Tensor& result, const Tensor& A, const optional<Scalar>& ord,
                        OptionalIntArrayRef dim, bool keepdim, optional<ScalarType> dtype,
                        const source_line& line) {
    return store("linalg_norm_out", result, linalg_norm(A, ord, dim, keepdim, dtype, line));
}
Tensor& linalg_norm_out(Tensor& result, const Tensor& A, named_norm ord, OptionalIntArrayRef dim,
                        bool keepdim, optional<ScalarType> dtype, const source_line& line) {
    return store("linalg_norm_out", result, linalg_norm(A, ord, dim, keepdim, dtype, line));
}

}  // namespace sinter::inline v1
