// Compositions: matrix norms under PyTorch's older names, and distances of vectors.
#include "ops/reduce/norms.hpp"

#include "ops/common/opmath.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/reductions.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

/// Returns both in the opmath type of the result. Throws Error if the common dtype is not floating.
std::pair<Tensor, Tensor> floating_pair(const char* op, const tensor_base& a,
                                        const tensor_base& b) {
    body(op, a);
    body(op, b);
    const ScalarType type = result_type(a, b);
    if (!isFloatingType(type))
        fail(op, "integers and booleans are not supported",
             text(a.self().scalar_type(), " and ", b.self().scalar_type()),
             "a floating-point dtype", ".to(kFloat) first");
    return {a.to(ops::opmath_type(type)), b.to(ops::opmath_type(type))};
}

}  // namespace

Tensor frobenius_norm(const tensor_base& t) { return t.norm(); }
Tensor frobenius_norm(const tensor_base& t, IntArrayRef dim, bool keepdim) {
    body("frobenius_norm", t);
    if (dim.size() > 2)
        fail("frobenius_norm", "dim has more than two dimensions", text(dim), "at most two",
             "linalg_vector_norm(), which takes any number of them");
    return t.norm(2, dim, keepdim);
}

Tensor nuclear_norm(const tensor_base& t, bool keepdim) {
    const TensorImpl& b = body("nuclear_norm", t);
    ops::require_matrix("nuclear_norm", b, "passing the two dimensions of the matrices as dim");
    return nuclear_norm(t, {0, 1}, keepdim);
}
Tensor nuclear_norm(const tensor_base& t, IntArrayRef dim, bool keepdim) {
    body("nuclear_norm", t);
    if (dim.size() != 2)
        fail("nuclear_norm", "dim does not have two dimensions", text(dim), "two dimensions",
             "{-2, -1}");
    return linalg_matrix_norm(t.self(), "nuc", dim, keepdim);
}

Tensor cosine_similarity(const tensor_base& x1, const tensor_base& x2, int64_t dim, double eps) {
    const char* op = "cosine_similarity";
    const auto [a, b] = floating_pair(op, x1, x2);
    const std::vector<int64_t> sizes = broadcast_shapes(op, a.sizes(), b.sizes());
    const Tensor left = a.expand(sizes), right = b.expand(sizes);
    const auto length = [&](const Tensor& x) {
        return Tensor(ops::power_norm(x, 2, dim, true).clamp_min(eps));
    };
    const Tensor cosine = ((left / length(left)) * (right / length(right))).sum(dim);
    return cosine.to(result_type(x1, x2));
}

Tensor pairwise_distance(const tensor_base& x1, const tensor_base& x2, double p, double eps,
                         bool keepdim) {
    const char* op = "pairwise_distance";
    body(op, x1);
    body(op, x2);
    ScalarType type = result_type(x1, x2);
    if (!ops::is_inexact(type)) type = get_default_dtype();
    const ScalarType wide = ops::opmath_type(type);
    const Tensor d = x1.to(wide) - x2.to(wide) + eps;
    ops::require_value(op, *d.unsafeGetTensorImpl(), p, -1);
    return ops::power_norm(d, p, -1, keepdim).to(toRealValueType(type));
}

}  // namespace sinter::inline v1
