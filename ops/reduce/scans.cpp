// Scans: checks, dtypes, and one library node each.
#include "engine/graph/results.hpp"
#include "engine/run/record.hpp"
#include "kernels/scan/scan.hpp"
#include "ops/autograd/function.hpp"
#include "ops/common/parts.hpp"
#include "ops/reduce/scan_gradients.hpp"

#include <sinter/expr/expr.hpp>
#include <sinter/functions/scans.hpp>
#include <sinter/functions/shape.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

Tensor computed(const kernel_op& op, const tensor_base& self, int64_t dim, ScalarType dtype) {
    const TensorImpl& t = body(op.name, self);
    const scan::scan_attributes along{dim};
    const leaf input = ops::read(t);
    geometry_ptr shape = make_contiguous(t.shape->sizes_ref());
    std::unique_ptr<Node> node =
        library_node(&op, {&input, 1}, dtype, shape, make_attributes(along));
    return Tensor(make_pending(std::move(node), std::move(shape)));
}

Tensor scanned(const kernel_op& op, const tensor_base& self, int64_t dim, ScalarType dtype) {
    const int64_t ndim = body(op.name, self).shape->ndim, d = ops::wrap_dim(op.name, dim, ndim);
    const bool sums = &op == &scan::cumsum_op, multiplies = &op == &scan::cumprod_op;
    autograd::saves kept{.batched = sums && ndim > 0};
    if (!sums) kept = {.operands = 1, .results = 1};
    return autograd::with_rule(
        op.name, {&self}, kept, [&] { return computed(op, self, d, dtype); },
        [d = ndim > 0 ? d - ndim : 0, sums,
         multiplies](const autograd::rule_call& c) -> autograd::variable_list {
            if (sums) return {ops::sums_from_behind(c.grad(), d)};
            return {multiplies ? ops::cumprod_gradient(c.grad(), c.operand(0), c.result(), d)
                               : ops::logcumsumexp_gradient(c.grad(), c.operand(0), c.result(), d)};
        });
}

/// Scans by doubling: after each round, an element combines twice as many elements as before.
template <class F>
Tensor doubling_scan(const Tensor& z, int64_t dim, const F& join) {
    if (z.dim() == 0) return z.clone();
    const int64_t n = z.size(dim);
    Tensor now = z;
    for (int64_t step = 1; step < n; step *= 2)
        now = cat({now.narrow(dim, 0, step),
                   join(now.narrow(dim, step, n - step), now.narrow(dim, 0, n - step))},
                  dim);
    return now.is_same(z) ? z.clone() : now;
}

Tensor total(const kernel_op& op, const tensor_base& self, int64_t dim,
             optional<ScalarType> dtype) {
    const TensorImpl& t = body(op.name, self);
    ops::wrap_dim(op.name, dim, t.shape->ndim);
    if (isComplexType(dtype.value_or(t.dtype))) {
        const Tensor z = self.to(dtype.value_or(t.dtype));
        if (&op == &scan::cumprod_op)
            return doubling_scan(z, dim,
                                 [](const Tensor& a, const Tensor& b) -> Tensor { return a * b; });
        return ops::by_parts(z, [&](const Tensor& x) { return x.cumsum(dim); });
    }
    if (dtype) {
        runtime::require_dtype(op.name, *dtype);
        // The kernel converts integers and bools to Long itself.
        const bool direct = *dtype == kLong && isIntegralType(t.dtype, true);
        return scanned(op, direct ? self.self() : self.to(*dtype), dim, *dtype);
    }
    return scanned(op, self, dim, isIntegralType(t.dtype, true) ? kLong : t.dtype);
}

Tensor& total_(const char* name, const kernel_op& op, const tensor_base& self, int64_t dim,
               optional<ScalarType> dtype) {
    const TensorImpl& t = body(name, self);
    if (dtype && *dtype != t.dtype)
        fail(name, "the result does not have the tensor's dtype",
             text("dtype ", *dtype, " for a ", t.dtype, " tensor"), toString(t.dtype),
             "the out-of-place form");
    ops::wrap_dim(name, dim, t.shape->ndim);
    ops::require_writable(name, t);
    // The gradient of a product reads its operand, which this overwrites.
    const bool keeps = &op == &scan::cumprod_op && self.requires_grad();
    return self.copy_(total(op, keeps ? self.clone() : self.self(), dim, t.dtype));
}

std::tuple<Tensor, Tensor> extremes(const kernel_op& op, const tensor_base& self, int64_t dim) {
    const TensorImpl& t = body(op.name, self);
    const scan::scan_attributes along{ops::wrap_dim(op.name, dim, t.shape->ndim)};
    return autograd::with_rule(
        op.name, {&self}, {.results = 0b10},
        [&] {
            const leaf input = ops::read(t);
            const geometry_ptr shape = make_contiguous(t.shape->sizes_ref());
            const auto results = make_pending_results(
                &op, {&input, 1}, make_attributes(along, {{t.dtype, shape}, {kLong, shape}}));
            return std::tuple{Tensor(results[0]), Tensor(results[1])};
        },
        [d = along.dim](const autograd::rule_call& c) -> autograd::variable_list {
            const Tensor& g = c.grad();
            return {
                zeros(g.sizes(), ops::beside(g, g.scalar_type())).scatter_add_(d, c.result(1), g)};
        });
}

}  // namespace

Tensor tensor_base::cumsum(int64_t dim, optional<ScalarType> dtype) const {
    return total(scan::cumsum_op, *this, dim, dtype);
}
Tensor& tensor_base::cumsum_(int64_t dim, optional<ScalarType> dtype) const {
    return total_("cumsum_", scan::cumsum_op, *this, dim, dtype);
}
Tensor tensor_base::cumprod(int64_t dim, optional<ScalarType> dtype) const {
    return total(scan::cumprod_op, *this, dim, dtype);
}
Tensor& tensor_base::cumprod_(int64_t dim, optional<ScalarType> dtype) const {
    return total_("cumprod_", scan::cumprod_op, *this, dim, dtype);
}
std::tuple<Tensor, Tensor> tensor_base::cummax(int64_t dim) const {
    return extremes(scan::cummax_op, *this, dim);
}
std::tuple<Tensor, Tensor> tensor_base::cummin(int64_t dim) const {
    return extremes(scan::cummin_op, *this, dim);
}
Tensor tensor_base::logcumsumexp(int64_t dim) const {
    const TensorImpl& t = body("logcumsumexp", *this);
    ops::require_inexact("logcumsumexp", t.dtype);
    return scanned(scan::logcumsumexp_op, *this, dim, t.dtype);
}

// ---- function forms
Tensor cumsum(const tensor_base& t, int64_t dim, optional<ScalarType> dtype) {
    return t.cumsum(dim, dtype);
}
Tensor cumprod(const tensor_base& t, int64_t dim, optional<ScalarType> dtype) {
    return t.cumprod(dim, dtype);
}
std::tuple<Tensor, Tensor> cummax(const tensor_base& t, int64_t dim) { return t.cummax(dim); }
std::tuple<Tensor, Tensor> cummin(const tensor_base& t, int64_t dim) { return t.cummin(dim); }
Tensor logcumsumexp(const tensor_base& t, int64_t dim) { return t.logcumsumexp(dim); }

}  // namespace sinter::inline v1
