// Products without a library: outer and Kronecker products, cross products, and dot products along
// a dimension. They fuse.
#include "ops/autograd/function.hpp"
#include "ops/common/conjugate.hpp"
#include "ops/common/devices.hpp"
#include "ops/common/opmath.hpp"
#include "ops/common/out.hpp"
#include "ops/products/products.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/linalg.hpp>
#include <sinter/functions/pointwise.hpp>
#include <sinter/functions/products.hpp>

#include <algorithm>

namespace sinter::inline v1 {

using ops::body;
using ops::store;
using runtime::fail;
using runtime::text;

namespace {

Tensor outer_of(const char* name, const tensor_base& a, const tensor_base& b) {
    ops::require_ranks(name, body(name, a), body(name, b), 1, 1);
    return a.unsqueeze(1).mul(b);
}

Tensor kron_of(const char* name, const tensor_base& left, const tensor_base& right) {
    const TensorImpl &a = body(name, left), &b = body(name, right);
    const int32_t ndim = std::max(a.shape->ndim, b.shape->ndim);
    // The dimensions of a and b alternate, so that the pair (i, j) has index i * size + j.
    std::vector<int64_t> of_a, of_b, sizes;
    for (int32_t d = 0; d < ndim; ++d) {
        const auto size = [d, ndim](const geometry& g) {
            const int32_t own = d - (ndim - g.ndim);
            return own < 0 ? 1 : g.sizes()[own];
        };
        const int64_t x = size(*a.shape), y = size(*b.shape);
        of_a.insert(of_a.end(), {x, 1});
        of_b.insert(of_b.end(), {1, y});
        sizes.push_back(x * y);
    }
    return Tensor(left.reshape(of_a).mul(right.reshape(of_b))).view(sizes);
}

void require_threes(const char* name, const TensorImpl& a, const TensorImpl& b, int64_t dim) {
    if (a.shape->sizes()[dim] == 3 && b.shape->sizes()[dim] == 3) return;
    fail(name, "the vectors do not have 3 elements",
         text(ops::shapes(a, b), " and dimension ", dim), "size 3 in that dimension of both",
         "passing the dimension of size 3 as dim");
}

/// Without `dim`, takes the first dimension of size 3, as PyTorch's `cross` does.
Tensor cross_of(const char* name, const tensor_base& left, const tensor_base& right,
                optional<int64_t> dim) {
    const TensorImpl &a = body(name, left), &b = body(name, right);
    ops::product_dtype(name, a, b);
    const int32_t ndim = a.shape->ndim;
    if (b.shape->ndim != ndim)
        fail(name, "the operands have different numbers of dimensions", ops::shapes(a, b),
             "the same number", "unsqueeze() on one of them");
    const std::vector<int64_t> sizes =
        broadcast_shapes(name, a.shape->sizes_ref(), b.shape->sizes_ref());
    if (!dim) {
        const auto three = std::find(sizes.begin(), sizes.end(), 3);
        if (three == sizes.end())
            fail(name, "no dimension has size 3", ops::shapes(a, b), "a dimension of size 3",
                 "cat() with zeros for vectors of 2 elements");
        dim = three - sizes.begin();
    }
    if (ndim == 0)
        fail<IndexError>(name, "the operands have too few dimensions", ops::shapes(a, b),
                         "vectors of 3 elements", "mul() for a product of numbers");
    const int64_t d = ops::wrap_dim(name, *dim, ndim);
    require_threes(name, a, b, d);
    const auto write = [&] {
        Tensor result = ops::unwritten(name, sizes, a, a.dtype);
        for (int64_t i = 0; i < 3; ++i) {
            const int64_t j = (i + 1) % 3, k = (i + 2) % 3;
            const Tensor x = ops::to_opmath(left.select(d, j)),
                         y = ops::to_opmath(left.select(d, k));
            result.select(d, i).copy_(x * right.select(d, k) - y * right.select(d, j));
        }
        return result;
    };
    const tensor_base* operands[] = {&left, &right};
    if (!autograd::is_recorded(operands)) return write();
    const bool of_left = autograd::is_recorded({&operands[0], 1});
    const bool of_right = autograd::is_recorded({&operands[1], 1});
    return autograd::with_rule("linalg_cross", {&left, &right},
                               {(of_left ? 2u : 0u) | (of_right ? 1u : 0u), 0}, write,
                               [d](const autograd::rule_call& c) -> autograd::variable_list {
                                   autograd::variable_list g(2);
                                   if (c.needs(0))
                                       g[0] = linalg_cross(conj(c.operand(1)), c.grad(), d);
                                   if (c.needs(1))
                                       g[1] = linalg_cross(c.grad(), conj(c.operand(0)), d);
                                   return g;
                               });
}

Tensor vecdot_of(const char* name, const tensor_base& left, const tensor_base& right, int64_t dim) {
    const TensorImpl &a = body(name, left), &b = body(name, right);
    ops::require_inexact(name, a.dtype);
    ops::product_dtype(name, a, b);
    ops::wrap_dim(name, dim, std::max(a.shape->ndim, b.shape->ndim));
    const Tensor x = ops::to_opmath(left), y = ops::to_opmath(right);
    return (conj(x) * y).sum(dim).to(a.dtype);
}

}  // namespace

Tensor tensor_base::outer(const tensor_base& other) const {
    return outer_of("outer", *this, other);
}
Tensor& outer_out(Tensor& out, const Tensor& a, const Tensor& b) {
    return store("outer_out", out, outer_of("outer_out", a, b), {&a, &b});
}
Tensor tensor_base::ger(const tensor_base& other) const { return outer_of("ger", *this, other); }
Tensor& ger_out(Tensor& out, const Tensor& a, const Tensor& b) {
    return store("ger_out", out, outer_of("ger_out", a, b), {&a, &b});
}

Tensor tensor_base::kron(const tensor_base& other) const { return kron_of("kron", *this, other); }
Tensor& kron_out(Tensor& out, const Tensor& a, const Tensor& b) {
    return store("kron_out", out, kron_of("kron_out", a, b));
}

Tensor tensor_base::cross(const tensor_base& other, optional<int64_t> dim) const {
    return cross_of("cross", *this, other, dim);
}
Tensor& cross_out(Tensor& out, const Tensor& a, const Tensor& b, optional<int64_t> dim) {
    return store("cross_out", out, cross_of("cross_out", a, b, dim), {&a, &b});
}
Tensor linalg_cross(const tensor_base& a, const tensor_base& b, int64_t dim) {
    return cross_of("linalg_cross", a, b, dim);
}
Tensor& linalg_cross_out(Tensor& result, const Tensor& a, const Tensor& b, int64_t dim) {
    return store("linalg_cross_out", result, cross_of("linalg_cross_out", a, b, dim), {&a, &b});
}

Tensor linalg_vecdot(const tensor_base& x, const tensor_base& y, int64_t dim) {
    return vecdot_of("linalg_vecdot", x, y, dim);
}
Tensor& linalg_vecdot_out(Tensor& result, const Tensor& x, const Tensor& y, int64_t dim) {
    return store("linalg_vecdot_out", result, vecdot_of("linalg_vecdot_out", x, y, dim));
}

}  // namespace sinter::inline v1
