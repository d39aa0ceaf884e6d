// unique and its kin read their operand at the call, or on a GPU only the number of groups. isin
// stays pending.
#include "engine/run/record.hpp"
#include "kernels/sort/groups.hpp"
#include "kernels/sort/search.hpp"

#include "ops/autograd/function.hpp"
#include "ops/autograd/names.hpp"
#include "ops/common/devices.hpp"
#include "ops/common/op_checks.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/functions/sorting.hpp>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

using triple = std::tuple<Tensor, Tensor, Tensor>;

/// Returns the index of the first element of each group.
Tensor first_of(const ordering::groups& g) {
    std::vector<int64_t> first;
    first.reserve(g.begins.size());
    for (int64_t b : g.begins) first.push_back(g.order[static_cast<std::size_t>(b)]);
    return tensor(first);
}

/// Returns the group of each element.
Tensor inverse_of(const ordering::groups& g) {
    std::vector<int64_t> inverse(g.order.size());
    for (std::size_t i = 0, k = 0; i < g.order.size(); ++i) {
        if (k < g.begins.size() && g.begins[k] == static_cast<int64_t>(i)) ++k;
        inverse[static_cast<std::size_t>(g.order[i])] = static_cast<int64_t>(k) - 1;
    }
    return tensor(inverse);
}

Tensor counts_of(const ordering::groups& g) {
    std::vector<int64_t> counts;
    for (std::size_t k = 0; k < g.begins.size(); ++k) {
        const int64_t end =
            k + 1 < g.begins.size() ? g.begins[k + 1] : static_cast<int64_t>(g.order.size());
        counts.push_back(end - g.begins[k]);
    }
    return tensor(counts);
}

using group_fn = ordering::groups (*)(const char*, ScalarType, int64_t, int64_t);

ordering::groups grouped(group_fn find, const Tensor& dense, int64_t n, int64_t size) {
    const Tensor here = ops::on_host(dense);
    const TensorImpl& t = *here.unsafeGetTensorImpl();
    const char* data = n == 0 ? nullptr
                              : ops::values(t, flush_reason::value_read) +
                                    t.shape->offset * static_cast<int64_t>(elementSize(t.dtype));
    return find(data, t.dtype, n, size);
}

// ---- on a GPU: operations on the device find the groups

/// Returns how many different elements of its row are less than each element. A NaN equals others.
Tensor ranks_there(const Tensor& rows) {
    const auto [x, order] = rows.sort(1);
    const int64_t n = x.size(1);
    const auto neighbours_differ = [n](const Tensor& t) -> Tensor {
        return t.narrow(1, 1, n - 1) != t.narrow(1, 0, n - 1);
    };
    // Two NaN are not different, a NaN and a number are.
    const Tensor differs = x.is_floating_point()
                               ? Tensor(neighbours_differ(x.masked_fill(x.isnan(), 0))
                                            .logical_or(neighbours_differ(x.isnan())))
                               : neighbours_differ(x);
    const Tensor ranks = cat({zeros({x.size(0), 1}, kLong), differs.cumsum(1)}, 1);
    return empty(order.sizes(), kLong).scatter_(1, order, ranks);
}

/// Returns a number for each pair of ranks below `n`, in the order of the pairs.
Tensor paired(const Tensor& first, const Tensor& second, int64_t n) { return first * n + second; }

/// Returns the rank of each column of some rows, by its first element that differs: those of two
/// neighbouring rows become one, until one row is left.
Tensor ranks_of_columns(const Tensor& rows) {
    Tensor ranks = ranks_there(rows);
    while (ranks.size(0) > 1) {
        const int64_t pairs = ranks.size(0) / 2, n = ranks.size(1);
        const Tensor of_pairs = ranks.narrow(0, 0, 2 * pairs).view({pairs, 2, n});
        const Tensor fewer = ranks_there(paired(of_pairs.select(1, 0), of_pairs.select(1, 1), n));
        ranks = cat({fewer, ranks.slice(0, 2 * pairs)});
    }
    return ranks;
}

/// Returns the indices of slices along dimension 0 in order.
Tensor order_of_slices(const Tensor& slices) {
    constexpr int64_t together = 1 << 19;  // elements, which bounds the memory of their ranks
    const Tensor columns = slices.flatten(1).t();
    const int64_t n = columns.size(1), rows = std::max<int64_t>(1, together / n);
    Tensor ranks;
    for (int64_t first = 0; first < columns.size(0); first += rows) {
        const Tensor next = ranks_of_columns(columns.slice(0, first, first + rows));
        ranks = first == 0 ? next : ranks_there(paired(ranks, next, n));
    }
    return ranks.select(0, 0).argsort(0);
}

/// Returns slices along dimension 0 with equal ones next to each other, and their indices.
std::tuple<Tensor, Tensor> ordered_there(const Tensor& slices, bool sorted) {
    if (!sorted) return {slices, arange(slices.size(0))};
    if (slices.dim() == 1) return slices.sort(0);
    Tensor order = order_of_slices(slices);
    return {slices.index_select(0, order), order};
}

/// Groups slices, of which there must be at least one. Returns the index of the first slice of each
/// group, the inverse and the counts.
triple groups_there(const Tensor& slices, bool sorted, bool inverse, bool counts) {
    const auto [ordered, order] = ordered_there(slices, sorted);
    const int64_t n = order.numel();
    Tensor differs = ordered.narrow(0, 1, n - 1) != ordered.narrow(0, 0, n - 1);
    if (differs.dim() > 1) differs = differs.flatten(1).any(1);
    const Tensor first = cat({ones({1}, kBool), differs});
    const Tensor begins = first.nonzero().view(-1);
    const Tensor ends = cat({begins.slice(0, 1), full({1}, n, kLong)});
    Tensor places = empty(inverse ? n : 0, kLong);
    if (inverse) places.scatter_(0, order, first.cumsum(0) - 1);
    return {order.index_select(0, begins), places,
            counts ? Tensor(ends - begins) : empty(0, kLong)};
}

triple unique_elements(const char* op, group_fn find, const tensor_base& self, bool inverse,
                       bool counts) {
    const TensorImpl& t = body(op, self);
    ops::require_real(op, t.dtype);
    const Tensor flat = self.reshape(-1).contiguous();
    const ops::creation_scope there(t.device);
    if (t.device != runtime::main_memory && t.shape->numel > 0) {
        auto [first, places, sizes] =
            groups_there(flat, find == ordering::sorted_groups, inverse, counts);
        return {flat.index_select(0, first), inverse ? places.view(t.shape->sizes_ref()) : places,
                sizes};
    }
    const ordering::groups g = grouped(find, flat, t.shape->numel, 1);
    return {flat.index_select(0, first_of(g)),
            inverse ? inverse_of(g).view(t.shape->sizes_ref()) : empty(0, kLong),
            counts ? counts_of(g) : empty(0, kLong)};
}

triple unique_slices(const char* op, group_fn find, const tensor_base& self, int64_t dim,
                     bool inverse, bool counts) {
    const TensorImpl& t = body(op, self);
    ops::require_real(op, t.dtype);
    ops::require_dims_from<IndexError>(op, t, 1, "leaving dim out");
    const int64_t at = ops::wrap_dim(op, dim, t.shape->ndim);
    const int64_t n = t.shape->sizes()[at];
    if (t.shape->numel == 0 && n > 0)
        fail(op, "the slices are empty", text(ops::shape_of(t), " and dimension ", at),
             "a size of 0 in that dimension only", "another dimension");
    const Tensor slices = self.movedim(at, 0).contiguous();
    const ops::creation_scope there(t.device);
    if (t.device != runtime::main_memory && n > 0) {
        auto [first, places, sizes] =
            groups_there(slices, find == ordering::sorted_groups, inverse, counts);
        return {self.index_select(at, first), places, sizes};
    }
    const ordering::groups g = grouped(find, slices, n, n == 0 ? 0 : t.shape->numel / n);
    return {self.index_select(at, first_of(g)), inverse ? inverse_of(g) : empty(0, kLong),
            counts ? counts_of(g) : empty(0, kLong)};
}

/// A function without a derivative, as in PyTorch.
template <class F>
triple without_derivative(const char* op, const tensor_base& self, const F& compute) {
    return autograd::with_rule(op, {&self}, {}, compute,
                               [op](const autograd::rule_call&) -> autograd::variable_list {
                                   autograd::refuse_missing(op);
                               });
}

}  // namespace

triple unique(const tensor_base& t, bool, bool return_inverse, bool return_counts) {
    return without_derivative("unique", t, [&] {
        return unique_elements("unique", ordering::sorted_groups, t, return_inverse, return_counts);
    });
}
triple _unique2(const tensor_base& t, bool sorted, bool return_inverse, bool return_counts) {
    return unique(t, sorted, return_inverse, return_counts);
}
triple unique_dim(const tensor_base& t, int64_t dim, bool, bool return_inverse,
                  bool return_counts) {
    return without_derivative("unique_dim", t, [&] {
        return unique_slices("unique_dim", ordering::sorted_groups, t, dim, return_inverse,
                             return_counts);
    });
}
triple unique_consecutive(const tensor_base& t, bool return_inverse, bool return_counts,
                          optional<int64_t> dim) {
    constexpr const char* op = "unique_consecutive";
    return without_derivative(op, t, [&] {
        return dim ? unique_slices(op, ordering::neighbour_groups, t, *dim, return_inverse,
                                   return_counts)
                   : unique_elements(op, ordering::neighbour_groups, t, return_inverse,
                                     return_counts);
    });
}

// ---- membership
namespace {

/// Throws for dtypes that isin refuses: PyTorch sorts, and these have no order.
void require_sortable(ScalarType type) {
    if (type == kBool || isComplexType(type))
        runtime::refuse_dtype("isin", runtime::text(type), "a real numeric dtype",
                              type == kBool ? ".to(kByte) first" : "eq() with each test element");
}

Tensor membership(const Tensor& elements, const Tensor& test, bool invert) {
    const TensorImpl &x = body("isin", elements), &w = body("isin", test);
    const leaf inputs[] = {ops::read(x), ops::read(w)};
    geometry_ptr shape = make_contiguous(x.shape->sizes_ref());
    std::unique_ptr<Node> node = library_node(&ordering::isin_op, inputs, kBool, shape,
                                              make_attributes(ordering::isin_attributes{invert}));
    return Tensor(make_pending(std::move(node), std::move(shape)));
}

}  // namespace

Tensor isin(const tensor_base& elements, const tensor_base& test, bool, bool invert) {
    require_sortable(body("isin", elements).dtype);
    require_sortable(body("isin", test).dtype);
    const ScalarType dtype = promote_types(elements.scalar_type(), test.scalar_type());
    return membership(elements.to(dtype), test.to(dtype).reshape(-1), invert);
}
Tensor isin(const tensor_base& elements, const Scalar& test, bool, bool invert) {
    require_sortable(body("isin", elements).dtype);
    require_sortable(test.type());
    const Tensor same = elements.self() == test;
    return invert ? Tensor(logical_not(same)) : same;
}
Tensor isin(const Scalar& element, const tensor_base& test, bool assume_unique, bool invert) {
    require_sortable(body("isin", test).dtype);
    require_sortable(element.type());
    const ScalarType dtype = result_type(test, element);
    return isin(scalar_tensor(element, ops::beside(test, element.type())).to(dtype), test,
                assume_unique, invert);
}

}  // namespace sinter::inline v1
