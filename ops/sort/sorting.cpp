// Sorting and order statistics: a library node sorts whole parts of rows; of one element of each
// row it computes the index, and gather reads the value.
#include "engine/run/record.hpp"
#include "kernels/sort/order.hpp"

#include "ops/index/gradients.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/sorting.hpp>

#include <limits>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

using pair = std::tuple<Tensor, Tensor>;

/// The tensor of a call, its dimension, and the length of a row.
struct rows_of {
    const TensorImpl& t;
    int64_t dim, length;

    rows_of(const char* op, const tensor_base& self, int64_t d)
        : t(body(op, self)),
          dim(ops::wrap_dim(op, d, t.shape->ndim)),
          length(t.shape->ndim == 0 ? 1 : t.shape->sizes()[dim]) {}
    /// Returns the sizes of a result with `count` elements per row; no sizes for a 0-d tensor.
    std::vector<int64_t> sizes(int64_t count) const {
        std::vector<int64_t> s = t.shape->sizes_ref().vec();
        if (!s.empty()) s[static_cast<std::size_t>(dim)] = count;
        return s;
    }
};

/// Returns the pending indices that an operation of order.hpp computes. `dropped` removes the
/// dimension from the result.
Tensor indices(const kernel_op& op, const rows_of& r, int64_t count, attributes_ptr attributes,
               bool dropped = false) {
    const leaf input = ops::read(r.t);
    std::vector<int64_t> sizes = r.sizes(count);
    geometry_ptr full = make_contiguous(sizes);
    if (dropped && !sizes.empty()) sizes.erase(sizes.begin() + r.dim);
    std::unique_ptr<Node> node = library_node(&op, {&input, 1}, kLong, full, std::move(attributes));
    return Tensor(make_pending(std::move(node), dropped ? make_contiguous(sizes) : full));
}

/// Returns the first `count` elements of each row in order, and their indices.
pair sorted(const char* op, const rows_of& r, int64_t count, bool descending) {
    const Tensor self(intrusive_ptr<TensorImpl>(const_cast<TensorImpl*>(&r.t)));
    return autograd::with_rule(
        op, {&self}, {.results = 0b10},
        [&] {
            const leaf input = ops::read(r.t);
            const geometry_ptr shape = make_contiguous(r.sizes(count));
            const auto results = make_pending_results(
                &ordering::sorted_op, {&input, 1},
                make_attributes(ordering::order_attributes{r.dim, descending, 0},
                                {{r.t.dtype, shape}, {kLong, shape}}));
            return pair{Tensor(results[0]), Tensor(results[1])};
        },
        [&] {
            return [sizes = r.t.shape->sizes_ref().vec(),
                    dim = r.dim](const autograd::rule_call& c) -> autograd::variable_list {
                return {ops::gradient_of_several(c.grad(), c.result(1), sizes, dim)};
            };
        });
}

/// Returns the indices of `count` elements of each row in order, from position `first`.
Tensor ordered(const rows_of& r, int64_t count, bool descending, int64_t first = 0,
               bool dropped = false) {
    return indices(ordering::order_op, r, count,
                   make_attributes(ordering::order_attributes{r.dim, descending, first}), dropped);
}

/// Returns the values at the indices that a node above computes, and the indices.
pair with_values(const rows_of& r, Tensor index, bool dropped = false) {
    const Tensor self(intrusive_ptr<TensorImpl>(const_cast<TensorImpl*>(&r.t)));
    const bool whole = !dropped || r.t.shape->ndim == 0;
    Tensor values = whole ? self.gather(r.dim, index)
                          : self.gather(r.dim, index.unsqueeze(r.dim)).squeeze(r.dim);
    return {std::move(values), std::move(index)};
}

void require_row(const char* op, const rows_of& r) {
    if (r.length == 0) ops::refuse_empty_dims(op, r.t);
}

pair median_of(const char* op, const tensor_base& self, int64_t dim, bool keepdim,
               bool ignore_nan) {
    const rows_of r(op, self, dim);
    require_row(op, r);
    return with_values(
        r,
        indices(ordering::median_op, r, 1,
                make_attributes(ordering::median_attributes{r.dim, ignore_nan}), !keepdim),
        !keepdim);
}

/// Returns the median of all elements.
Tensor median_of_all(const char* op, const tensor_base& self, bool ignore_nan) {
    const TensorImpl& t = body(op, self);
    if (t.shape->numel == 0)  // NaN, converted to the dtype
        return full({}, std::numeric_limits<double>::quiet_NaN(), ops::beside(t, kDouble))
            .to(t.dtype);
    // Equal elements share the gradient, as they do for max() of all elements.
    return autograd::with_rule(
        op, {&self}, {.operands = 1, .results = 1},
        [&] { return std::get<0>(median_of(op, self.reshape(-1), 0, false, ignore_nan)); },
        ops::shared_by_equals);
}

}  // namespace

// ---- sorting
Tensor tensor_base::argsort(int64_t dim, bool descending) const {
    const rows_of r("argsort", *this, dim);
    return ordered(r, r.length, descending);
}
Tensor tensor_base::argsort(int dim, bool descending) const {
    return argsort(int64_t{dim}, descending);
}
Tensor tensor_base::argsort(bool, int64_t dim, bool descending) const {
    return argsort(dim, descending);
}
pair tensor_base::sort(int64_t dim, bool descending) const {
    const rows_of r("sort", *this, dim);
    return sorted("sort", r, r.length, descending);
}
pair tensor_base::sort(optional<bool>, int64_t dim, bool descending) const {
    return sort(dim, descending);
}
Tensor tensor_base::msort() const {
    const rows_of r("msort", *this, 0);
    return std::get<0>(sort(0));
}

pair tensor_base::topk(int64_t k, int64_t dim, bool largest, bool) const {
    const rows_of r("topk", *this, dim);
    if (k < 0 || k > r.length)
        fail("topk", "k is out of range", text(k, " of ", r.length, " elements"),
             text("0 to ", r.length), "sort() for all of them");
    if (r.t.shape->ndim == 0 && k == 0)  // a 0-d tensor returns its element even for k = 0
        return sorted("topk", r, 1, largest);
    return sorted("topk", r, k, largest);
}

// ---- one of each row
pair tensor_base::kthvalue(int64_t k, int64_t dim, bool keepdim) const {
    const rows_of r("kthvalue", *this, dim);
    require_row("kthvalue", r);
    if (k < 1 || k > r.length)
        fail("kthvalue", "k is out of range", text(k, " of ", r.length, " elements"),
             text("1 to ", r.length), "counting k from 1");
    return with_values(r, ordered(r, 1, false, k - 1, !keepdim), !keepdim);
}

Tensor tensor_base::median() const { return median_of_all("median", *this, false); }
pair tensor_base::median(int64_t dim, bool keepdim) const {
    return median_of("median", *this, dim, keepdim, false);
}
Tensor tensor_base::nanmedian() const { return median_of_all("nanmedian", *this, true); }
pair tensor_base::nanmedian(int64_t dim, bool keepdim) const {
    return median_of("nanmedian", *this, dim, keepdim, true);
}
pair tensor_base::mode(int64_t dim, bool keepdim) const {
    const rows_of r("mode", *this, dim);
    require_row("mode", r);
    return with_values(r,
                       indices(ordering::mode_op, r, 1,
                               make_attributes(ordering::mode_attributes{r.dim}), !keepdim),
                       !keepdim);
}

// ---- function forms
pair sort(const tensor_base& t, int64_t dim, bool descending) { return t.sort(dim, descending); }
pair sort(const tensor_base& t, optional<bool> stable, int64_t dim, bool descending) {
    return t.sort(stable, dim, descending);
}
Tensor argsort(const tensor_base& t, int64_t dim, bool descending) {
    return t.argsort(dim, descending);
}
Tensor argsort(const tensor_base& t, int dim, bool descending) {
    return t.argsort(dim, descending);
}
Tensor argsort(const tensor_base& t, bool stable, int64_t dim, bool descending) {
    return t.argsort(stable, dim, descending);
}
Tensor msort(const tensor_base& t) { return t.msort(); }
pair topk(const tensor_base& t, int64_t k, int64_t dim, bool largest, bool sorted) {
    return t.topk(k, dim, largest, sorted);
}
pair kthvalue(const tensor_base& t, int64_t k, int64_t dim, bool keepdim) {
    return t.kthvalue(k, dim, keepdim);
}
Tensor median(const tensor_base& t) { return t.median(); }
pair median(const tensor_base& t, int64_t dim, bool keepdim) { return t.median(dim, keepdim); }
Tensor nanmedian(const tensor_base& t) { return t.nanmedian(); }
pair nanmedian(const tensor_base& t, int64_t dim, bool keepdim) {
    return t.nanmedian(dim, keepdim);
}
pair mode(const tensor_base& t, int64_t dim, bool keepdim) { return t.mode(dim, keepdim); }

}  // namespace sinter::inline v1
