// Integrals by the trapezoid rule.
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/reductions.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

/// Returns the coordinates with as many dimensions as y. A vector lies along `dim`.
Tensor coordinates(const char* op, const TensorImpl& y, const tensor_base& self, int64_t dim) {
    const TensorImpl& x = body(op, self);
    const geometry &g = *y.shape, &c = *x.shape;
    if (c.ndim == 1) {
        if (c.numel != g.sizes()[dim])
            fail(op, "the numbers of samples and coordinates differ",
                 text(runtime::count_of(c.numel, "coordinate"), " for ",
                      runtime::count_of(g.sizes()[dim], "sample"), " in dimension ", dim),
                 runtime::count_of(g.sizes()[dim], "coordinate"), "one number for equal spacing");
        std::vector<int64_t> sizes(static_cast<std::size_t>(g.ndim), 1);
        sizes[static_cast<std::size_t>(dim)] = c.numel;
        return self.reshape(sizes);
    }
    std::vector<int64_t> sizes = c.sizes_ref().vec();
    while (sizes.size() < static_cast<std::size_t>(g.ndim)) sizes.insert(sizes.begin(), 1);
    return self.reshape(sizes);
}

int64_t sample_dim(const char* op, const TensorImpl& y, int64_t dim) {
    ops::require_dims_from<IndexError>(op, y, 1, "unsqueeze(0) first");
    return ops::wrap_dim(op, dim, y.shape->ndim);
}

/// Returns the sum of no samples.
Tensor none_of(const tensor_base& y, int64_t dim) { return y.sum(dim).to(y.self().scalar_type()); }

void require_number(const char* op, const Scalar& dx) {
    if (dx.isBoolean())
        fail(op, "dx is a boolean", runtime::to_text(dx), "a number", "1, the default");
}

/// Return the sums of neighbours, and the distances between them.
Tensor pairs(const tensor_base& y, int64_t dim) { return y.slice(dim, 0, -1) + y.slice(dim, 1); }
Tensor steps(const Tensor& x, int64_t dim) { return x.slice(dim, 1) - x.slice(dim, 0, -1); }

}  // namespace

Tensor trapezoid(const tensor_base& y, const tensor_base& x, int64_t dim) {
    const TensorImpl& t = body("trapezoid", y);
    const int64_t at = sample_dim("trapezoid", t, dim);
    if (t.shape->sizes()[at] == 0) return none_of(y, at);
    ops::require_numeric("trapezoid", t.dtype);
    ops::require_numeric("trapezoid", body("trapezoid", x).dtype);
    const Tensor where = coordinates("trapezoid", t, x, at);
    return (pairs(y, at) * steps(where, at)).sum(at) / 2.0;
}

Tensor trapezoid(const tensor_base& y, const Scalar& dx, int64_t dim) {
    const TensorImpl& t = body("trapezoid", y);
    const int64_t at = sample_dim("trapezoid", t, dim);
    if (t.shape->sizes()[at] == 0) return none_of(y, at);
    ops::require_numeric("trapezoid", t.dtype);
    require_number("trapezoid", dx);
    return (y.sum(at) - (y.select(at, 0) + y.select(at, -1)) * 0.5) * dx.toDouble();
}

Tensor trapz(const tensor_base& y, const tensor_base& x, int64_t dim) {
    return trapezoid(y, x, dim);
}
Tensor trapz(const tensor_base& y, double dx, int64_t dim) { return trapezoid(y, dx, dim); }

Tensor cumulative_trapezoid(const tensor_base& y, const tensor_base& x, int64_t dim) {
    const TensorImpl& t = body("cumulative_trapezoid", y);
    ops::require_numeric("cumulative_trapezoid", t.dtype);
    ops::require_numeric("cumulative_trapezoid", body("cumulative_trapezoid", x).dtype);
    const int64_t at = sample_dim("cumulative_trapezoid", t, dim);
    const Tensor where = coordinates("cumulative_trapezoid", t, x, at);
    return (pairs(y, at) * steps(where, at)).cumsum(at) / 2.0;
}

Tensor cumulative_trapezoid(const tensor_base& y, const Scalar& dx, int64_t dim) {
    const TensorImpl& t = body("cumulative_trapezoid", y);
    ops::require_numeric("cumulative_trapezoid", t.dtype);
    const int64_t at = sample_dim("cumulative_trapezoid", t, dim);
    require_number("cumulative_trapezoid", dx);
    return (dx.toDouble() / 2 * pairs(y, at)).cumsum(at);
}

}  // namespace sinter::inline v1
