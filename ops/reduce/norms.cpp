// Norms and distances: powers, sums and roots, fused into one kernel each.
#include "ops/reduce/norms.hpp"

#include "ops/autograd/function.hpp"
#include "ops/common/opmath.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/reductions.hpp>

#include <cmath>

namespace sinter::ops {

namespace {

Tensor computed_norm(const Tensor& x, double p, IntArrayRef dims, bool keepdim) {
    if (x.is_complex()) return computed_norm(abs(x), p, dims, keepdim);
    if (p == 0) return (x != 0).sum(dims, keepdim).to(x.scalar_type());
    if (p == 1) return abs(x).sum(dims, keepdim);
    if (p == 2) return sqrt((x * x).sum(dims, keepdim));
    if (std::isinf(p)) {
        const Tensor a = abs(x);
        return p > 0 ? a.amax(dims, keepdim) : a.amin(dims, keepdim);
    }
    return abs(x).pow(p).sum(dims, keepdim).pow(1 / p);
}

/// The dimensions in which y has one element for all of x.
std::vector<int64_t> shared_dims(const Tensor& x, const Tensor& y) {
    std::vector<int64_t> dims;
    for (int64_t d = 0; d < x.dim(); ++d)
        if (y.size(d) == 1) dims.push_back(d);
    return dims;
}

/// Returns the gradient of the norm y of x, which is 0 where the norm is 0, and for orders below 2
/// where the element is 0.
Tensor norm_gradient(const Tensor& g, const Tensor& x, const Tensor& y, double p) {
    if (p == 1) return g * sgn(x);
    if (std::isinf(p)) {  // equal elements share it
        const Tensor size = abs(x), best = (size == y) | isnan(size);
        return sgn(x) * where(best, g / best.sum(shared_dims(best, y), true), 0);
    }
    const Tensor none = y == 0, safe = where(none, 1, y);
    if (p == 2) return where(none, 0, g / safe) * x;
    const Tensor scale = where(none, 0, g / safe.pow(p - 1));
    if (p > 2) return scale * x * abs(x).pow(p - 2);
    const Tensor zero = x == 0, size = where(zero, 1, abs(x));
    return scale * where(zero, 0, sgn(x) * size.pow(p - 1));
}

}  // namespace

Tensor power_norm(const Tensor& x, double p, IntArrayRef dims, bool keepdim) {
    const tensor_base* operands[] = {&x};
    if (!autograd::is_recorded(operands)) return computed_norm(x, p, dims, keepdim);
    std::vector<int64_t> kept = x.sizes().vec();
    const uint64_t gone = dims.empty() ? ~uint64_t{0} : wrap_dims("norm", dims, x.dim());
    for (std::size_t d = 0; d < kept.size(); ++d)
        if (gone >> d & 1) kept[d] = 1;
    const autograd::saves saves{p == 0 ? 0U : 1U, p == 0 || p == 1 ? 0U : 1U, true};
    return autograd::with_rule(
        "linalg_vector_norm", {&x}, saves, [&] { return computed_norm(x, p, dims, keepdim); },
        [p, kept](const autograd::rule_call& c) -> autograd::variable_list {
            if (p == 0) return {Tensor()};
            const Tensor y = p == 1 ? Tensor() : c.result().reshape(kept);
            return {norm_gradient(c.grad().reshape(c.with_batch(kept)), c.operand(0), y, p)};
        });
}

namespace {

int64_t elements_of(const geometry& g, uint64_t dims) {
    int64_t n = 1;
    for (int d = 0; d < g.ndim; ++d)
        if (dims >> d & 1) n *= g.sizes()[d];
    return n;
}

}  // namespace

void require_value(const char* op, const TensorImpl& t, double p, IntArrayRef dims) {
    const geometry& g = *t.shape;
    const uint64_t named = dims.empty() ? ~uint64_t{0} : wrap_dims(op, dims, g.ndim);
    if ((p < 0 || std::isinf(p)) && elements_of(g, named) == 0)
        runtime::fail(op, "the norm of an empty tensor is undefined for this order",
                      runtime::text(shape_of(t), " and order ", p), "at least 1 element",
                      "a finite order of 0 or more");
}

void refuse_norm_dtype(const char* op, ScalarType from, ScalarType to) {
    runtime::fail(op, "the dtype cannot hold the tensor's elements",
                  runtime::text("dtype ", to, " for a ", from, " tensor"),
                  runtime::text("a ", isComplexType(from) ? "complex" : "floating-point",
                                " dtype that is at least as wide"),
                  runtime::text(".to(k", toRealValueType(to), ") on the result"));
}

}  // namespace sinter::ops

namespace sinter::inline v1 {

using ops::body;

namespace {

using ops::power_norm;

Tensor norm_of(const char* op, const tensor_base& self, const optional<Scalar>& order,
               IntArrayRef dims, bool keepdim, optional<ScalarType> dtype) {
    const TensorImpl& t = body(op, self);
    const double p = order ? order->toDouble() : 2;
    if (dtype) runtime::require_dtype(op, *dtype);
    const ScalarType type = dtype.value_or(t.dtype);
    ops::require_floating(op, toRealValueType(type));
    ops::require_floating(op, toRealValueType(t.dtype));
    if (isComplexType(type) != isComplexType(t.dtype) || promote_types(type, t.dtype) != type)
        ops::refuse_norm_dtype(op, t.dtype, type);
    ops::require_value(op, t, p, dims);
    return power_norm(ops::to_opmath(self.to(type)), p, dims, keepdim).to(toRealValueType(type));
}

struct scaling {
    Tensor factor, x;
};

/// Returns the factor of each slice of `dim`.
scaling renorm_factor(const char* op, const tensor_base& self, const Scalar& p, int64_t dim,
                      const Scalar& maxnorm) {
    const TensorImpl& t = body(op, self);
    ops::require_floating(op, toRealValueType(t.dtype));
    ops::require_dims_from(op, t, 2, "unsqueeze(0) first");
    if (!(p.toDouble() > 0))
        runtime::fail(op, "p is not positive", runtime::to_text(p), "a positive number",
                      "2, the Euclidean norm");
    if (!(maxnorm.toDouble() >= 0))
        runtime::fail(op, "maxnorm is negative or NaN", runtime::to_text(maxnorm), "0 or more",
                      "1, which makes long slices unit vectors");
    const int64_t kept = ops::wrap_dim(op, dim, t.shape->ndim);
    std::vector<int64_t> others;
    for (int64_t d = 0; d < t.shape->ndim; ++d)
        if (d != kept) others.push_back(d);
    const Tensor x = ops::to_opmath(self);
    if (x.numel() == 0) return {ones(1, ops::beside(x, toRealValueType(x.scalar_type()))), x};
    const Tensor n = power_norm(x, p.toDouble(), others, true);
    const double limit = maxnorm.toDouble();
    return {where(n > limit, limit / (n + 1e-7), 1), x};
}

}  // namespace

Tensor tensor_base::norm(const Scalar& p) const {
    return norm_of("norm", *this, p, {}, false, nullopt);
}
Tensor tensor_base::norm(const optional<Scalar>& p, ScalarType dtype) const {
    return norm_of("norm", *this, p, {}, false, dtype);
}
Tensor tensor_base::norm(const optional<Scalar>& p, IntArrayRef dim, bool keepdim) const {
    return norm_of("norm", *this, p, dim, keepdim, nullopt);
}
Tensor tensor_base::norm(const optional<Scalar>& p, IntArrayRef dim, bool keepdim,
                         ScalarType dtype) const {
    return norm_of("norm", *this, p, dim, keepdim, dtype);
}

Tensor tensor_base::dist(const tensor_base& other, const Scalar& p) const {
    body("dist", *this);
    body("dist", other);
    const ScalarType type = result_type(*this, other);
    const Tensor d = to(ops::opmath_type(type)) - other.to(ops::opmath_type(type));
    return norm_of("dist", d, p, {}, false, nullopt).to(toRealValueType(type));
}

Tensor tensor_base::renorm(const Scalar& p, int64_t dim, const Scalar& maxnorm) const {
    const scaling s = renorm_factor("renorm", *this, p, dim, maxnorm);
    return (s.x * s.factor).to(scalar_type());
}

Tensor& tensor_base::renorm_(const Scalar& p, int64_t dim, const Scalar& maxnorm) const {
    const scaling s = renorm_factor("renorm_", autograd::before_write(*this), p, dim, maxnorm);
    return copy_(s.x * s.factor);
}

Tensor cdist(const tensor_base& a, const tensor_base& b, double p, optional<int64_t>) {
    const TensorImpl &x = body("cdist", a), &y = body("cdist", b);
    const IntArrayRef left = x.shape->sizes_ref(), right = y.shape->sizes_ref();
    ops::require_floating("cdist", x.dtype);
    ops::require_floating("cdist", y.dtype);
    const std::string shapes = runtime::text("shapes ", left, " and ", right);
    if (left.size() < 2 || right.size() < 2)
        runtime::fail("cdist", "an operand has too few dimensions", shapes, "at least 2 dimensions",
                      "unsqueeze(0) on it");
    if (left.back() != right.back())
        runtime::fail("cdist", "the rows have different lengths", shapes,
                      runtime::text(left.back(), " columns in the second"),
                      "narrow() on the longer one");
    if (!(p >= 0))
        runtime::fail("cdist", "p is negative or NaN", runtime::text(p), "0 or more",
                      "2, the default");
    broadcast_shapes("cdist", left.slice(0, left.size() - 2), right.slice(0, right.size() - 2));
    const ScalarType type = promote_types(x.dtype, y.dtype);
    const ScalarType wide = ops::opmath_type(type);
    const Tensor d = a.to(wide).unsqueeze(-2) - b.to(wide).unsqueeze(-3);
    if (left.back() == 0) return d.sum(-1).to(type);               // rows without elements
    if (p == 0) return minimum(ceil(abs(d)), 1).sum(-1).to(type);  // NaN gives NaN, as in PyTorch
    return power_norm(d, p, -1, false).to(type);
}

// ---- function forms
Tensor norm(const tensor_base& t, const Scalar& p) { return t.norm(p); }
Tensor norm(const tensor_base& t, const optional<Scalar>& p, ScalarType dtype) {
    return t.norm(p, dtype);
}
Tensor norm(const tensor_base& t, const optional<Scalar>& p, IntArrayRef dim, bool keepdim) {
    return t.norm(p, dim, keepdim);
}
Tensor norm(const tensor_base& t, const optional<Scalar>& p, IntArrayRef dim, bool keepdim,
            ScalarType dtype) {
    return t.norm(p, dim, keepdim, dtype);
}
Tensor dist(const tensor_base& a, const tensor_base& b, const Scalar& p) { return a.dist(b, p); }
Tensor renorm(const tensor_base& t, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
    return t.renorm(p, dim, maxnorm);
}

}  // namespace sinter::inline v1
