// gather, take_along_dim, take and index_select: each describes a space for index_kernels::gather.
#include "kernels/index/gather.hpp"
#include "ops/index/gradients.hpp"
#include "ops/index/indexed.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/gathering.hpp>

namespace sinter::inline v1 {

using autograd::rule_call;
using autograd::variable_list;
using ops::body;
using ops::index_space;
using runtime::fail;
using runtime::text;

namespace {

Tensor along(const kernel_op& op, const tensor_base& self, int64_t dim, const tensor_base& index) {
    const Tensor i = ops::space_index(op.name, index);
    const Tensor t = ops::at_least_1d(op.name, self);
    const int64_t d = ops::wrap_dim(op.name, dim, t.dim());
    const IntArrayRef sizes = t.sizes(), wanted = i.sizes();
    bool fits = i.numel() == 0 || sizes.size() == wanted.size();
    for (std::size_t k = 0; fits && i.numel() > 0 && k < sizes.size(); ++k)
        fits = static_cast<int64_t>(k) == d || wanted[k] <= sizes[k];
    if (!fits) ops::refuse_index_shape(op.name, index.sizes(), self.sizes(), d);
    return autograd::with_rule(
        op.name, {&t, &i}, {.operands = 0b10, .batched = true},
        [&] {
            if (i.numel() == 0) return empty(index.sizes(), t.options());
            return ops::gathered(op, t, index_space(wanted, d, i, false)).view(index.sizes());
        },
        [&] {
            return [d = d - t.dim(), of = sizes.vec()](const rule_call& c) -> variable_list {
                const Tensor index = c.operand(1).expand(c.with_batch(c.operand(1).sizes()));
                return {ops::zeros_for(c.grad(), c.with_batch(of))
                            .scatter_add_(d, index, c.grad().reshape(index.sizes()))};
            };
        });
}

}  // namespace

Tensor tensor_base::gather(int64_t dim, const tensor_base& index, bool) const {
    return along(index_kernels::gather_op, *this, dim, index);
}

Tensor tensor_base::take_along_dim(const tensor_base& indices, optional<int64_t> dim) const {
    const kernel_op& op = index_kernels::take_along_dim_op;
    const TensorImpl &t = body(op.name, *this), &i = body(op.name, indices);
    if (!dim) return along(op, flatten(), 0, indices.flatten());
    if (i.dtype != kLong) ops::refuse_index_dtype(op.name, i.dtype, "Long");
    if (t.shape->ndim != i.shape->ndim)
        fail(op.name, "the index and the tensor have different numbers of dimensions",
             ops::shapes(i, t), text(t.shape->ndim, " dimensions in the index"),
             "unsqueeze() on the index");
    const int64_t d = ops::wrap_dim(op.name, *dim, t.shape->ndim);
    ops::require_dims_from<IndexError>(op.name, t, 1, "leaving dim out");
    std::vector<int64_t> a = t.shape->sizes_ref().vec(), b = i.shape->sizes_ref().vec();
    const auto k = static_cast<std::size_t>(d);
    const int64_t size = a[k], wanted = b[k];
    a[k] = b[k] = 1;
    std::vector<int64_t> sizes = broadcast_shapes(op.name, a, b);
    sizes[k] = size;
    const Tensor from = expand(sizes);
    sizes[k] = wanted;
    // With a given dimension, indices wrap around it.
    const Tensor whole = indices.expand(sizes);
    return along(op, from, d, size == 0 ? whole : Tensor(whole.remainder(size)));
}

Tensor tensor_base::take(const tensor_base& index) const {
    const kernel_op& op = index_kernels::take_op;
    const Tensor i = ops::index_tensor(op.name, index, false), t = flatten();
    if (t.numel() == 0 && i.numel() > 0)
        ops::refuse_empty<IndexError>(op.name, body(op.name, *this), "an empty index");
    index_space space(true);
    space.sizes = i.sizes().vec();
    space.how.placed = {0};
    space.how.walked.assign(space.sizes.size(), -1);
    space.indices.push_back(ops::read(*i.unsafeGetTensorImpl()));
    return autograd::with_rule(
        op.name, {&t, &i}, {.operands = 0b10}, [&] { return ops::gathered(op, t, space); },
        [n = t.numel()](const rule_call& c) -> variable_list {
            return {ops::zeros_for(c.grad(), n).put_(c.operand(1), c.grad(), true)};
        });
}

Tensor tensor_base::index_select(int64_t dim, const tensor_base& index) const {
    const kernel_op& op = index_kernels::index_select_op;
    const Tensor i = ops::index_vector(op.name, index), t = ops::at_least_1d(op.name, *this);
    const int64_t d = ops::wrap_dim(op.name, dim, t.dim());
    std::vector<int64_t> sizes = t.sizes().vec();
    sizes[static_cast<std::size_t>(d)] = i.numel();
    Tensor r = autograd::with_rule(
        op.name, {&t, &i}, {.operands = 0b10, .batched = true},
        [&] { return ops::gathered(op, t, index_space(sizes, d, i, false)); },
        [&] {
            return [d = d - t.dim(), of = t.sizes().vec()](const rule_call& c) -> variable_list {
                return {ops::zeros_for(c.grad(), c.with_batch(of))
                            .index_add_(d, c.operand(1), c.grad())};
            };
        });
    if (this->dim() > 0) return r;
    if (i.numel() != 1)
        fail(op.name, "a 0-d tensor has one element", text(i.numel(), " indices"), "1 index",
             "unsqueeze(0) first");
    return r.squeeze(0);
}

Tensor gather(const tensor_base& t, int64_t dim, const tensor_base& index, bool sparse_grad) {
    return t.gather(dim, index, sparse_grad);
}
Tensor take_along_dim(const tensor_base& t, const tensor_base& indices, optional<int64_t> dim) {
    return t.take_along_dim(indices, dim);
}
Tensor take(const tensor_base& t, const tensor_base& index) { return t.take(index); }
Tensor index_select(const tensor_base& t, int64_t dim, const tensor_base& index) {
    return t.index_select(dim, index);
}

}  // namespace sinter::inline v1
