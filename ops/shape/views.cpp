// Views that move, split or repeat dimensions. All share the storage; none computes anything.
#include "engine/graph/gradient.hpp"
#include "ops/common/op_checks.hpp"

#include <algorithm>

namespace sinter::inline v1 {

using ops::body;
using ops::dims;
using ops::wrap_dim;
using runtime::fail;
using runtime::text;

namespace {

Tensor view_of(const TensorImpl& t, const dims& d, int64_t offset) {
    return ops::view_of(t, d.sizes, d.strides, offset);
}

Tensor alias(const TensorImpl& of) { return Tensor(make_view(of, of.shape)); }

Tensor expanded(const char* op, const TensorImpl& t, IntArrayRef sizes) {
    const geometry& g = *t.shape;
    const auto refuse = [&](const std::string& what) {
        fail(op, what, text("sizes ", sizes, " for shape ", g.sizes_ref()),
             "the tensor's sizes, with any size in place of a 1, new sizes in front, and -1 to "
             "keep a size",
             "unsqueeze() first, which adds a dimension of size 1");
    };
    const int64_t lead = static_cast<int64_t>(sizes.size()) - g.ndim;
    if (lead < 0)
        refuse(text("the number of sizes provided (", sizes.size(),
                    ") must be greater or equal to the number of dimensions in the tensor (",
                    g.ndim, ")"));
    std::vector<int64_t> to(sizes.size()), strides(sizes.size());
    for (int64_t i = static_cast<int64_t>(sizes.size()) - 1; i >= 0; --i) {
        const auto k = static_cast<std::size_t>(i);
        const int64_t own = i >= lead ? g.sizes()[i - lead] : 1;
        const int64_t next = k + 1 < to.size() ? to[k + 1] * strides[k + 1] : 1;
        strides[k] = i >= lead ? g.strides()[i - lead] : g.ndim == 0 ? 0 : next;
        to[k] = sizes[k];
        if (sizes[k] == -1) {
            if (i < lead)
                refuse(
                    text("The expanded size of the tensor (-1) isn't allowed in a leading, "
                         "non-existing dimension ",
                         i));
            to[k] = own;
        } else if (sizes[k] != own) {
            if (own != 1 || sizes[k] < 0)
                refuse(text("The expanded size of the tensor (", sizes[k],
                            ") must match the existing size (", own,
                            ") at non-singleton dimension ", i));
            strides[k] = 0;
        }
    }
    return ops::view_of(t, to, strides, g.offset, op);
}

}  // namespace

Tensor tensor_base::transpose(int64_t dim0, int64_t dim1) const {
    const TensorImpl& t = body("transpose", *this);
    const int64_t a = wrap_dim("transpose", dim0, t.shape->ndim);
    const int64_t b = wrap_dim("transpose", dim1, t.shape->ndim);
    if (a == b) return alias(t);
    dims d(*t.shape);
    std::swap(d.sizes[static_cast<std::size_t>(a)], d.sizes[static_cast<std::size_t>(b)]);
    std::swap(d.strides[static_cast<std::size_t>(a)], d.strides[static_cast<std::size_t>(b)]);
    return view_of(t, d, t.shape->offset);
}

Tensor tensor_base::t() const {
    const TensorImpl& t = body("t", *this);
    ops::require_dims_to("t", t, 2, "transpose() or permute()");
    return t.shape->ndim < 2 ? alias(t) : transpose(0, 1);
}

Tensor tensor_base::permute(IntArrayRef order) const {
    const TensorImpl& t = body("permute", *this);
    const geometry& g = *t.shape;
    if (order.size() != static_cast<std::size_t>(g.ndim))
        fail("permute", "the list does not name every dimension",
             text("dims ", order, " for ", ops::shape_of(t)),
             text(runtime::count_of(g.ndim, "dimension"), ", each once"),
             "transpose() to swap two dimensions");
    ops::wrap_dims("permute", order, g.ndim);
    dims d(g);
    for (std::size_t i = 0; i < order.size(); ++i) {
        const int64_t from = wrap_dim("permute", order[i], g.ndim);
        d.sizes[i] = g.sizes()[from];
        d.strides[i] = g.strides()[from];
    }
    return view_of(t, d, g.offset);
}

Tensor tensor_base::expand(IntArrayRef sizes, bool) const {
    return expanded("expand", body("expand", *this), sizes);
}

Tensor tensor_base::broadcast_to(IntArrayRef sizes) const {
    return expanded("broadcast_to", body("broadcast_to", *this), sizes);
}

Tensor tensor_base::expand_as(const tensor_base& other) const {
    return expand(body("expand_as", other).shape->sizes_ref());
}

Tensor tensor_base::squeeze() const {
    const TensorImpl& t = body("squeeze", *this);
    dims d(*t.shape);
    for (int64_t i = t.shape->ndim - 1; i >= 0; --i)
        if (d.sizes[static_cast<std::size_t>(i)] == 1) d.erase(i);
    return view_of(t, d, t.shape->offset);
}

Tensor tensor_base::squeeze(int64_t dim) const {
    const TensorImpl& t = body("squeeze", *this);
    const int64_t i = wrap_dim("squeeze", dim, t.shape->ndim);
    if (t.shape->ndim == 0 || t.shape->sizes()[i] != 1) return alias(t);
    dims d(*t.shape);
    d.erase(i);
    return view_of(t, d, t.shape->offset);
}

Tensor tensor_base::squeeze(IntArrayRef list) const {
    const TensorImpl& t = body("squeeze", *this);
    const uint64_t named = ops::wrap_dims("squeeze", list, t.shape->ndim);
    dims d(*t.shape);
    for (int64_t i = t.shape->ndim - 1; i >= 0; --i)
        if ((named >> i & 1) && d.sizes[static_cast<std::size_t>(i)] == 1) d.erase(i);
    return view_of(t, d, t.shape->offset);
}

Tensor tensor_base::unsqueeze(int64_t dim) const {
    const TensorImpl& t = body("unsqueeze", *this);
    const geometry& g = *t.shape;
    const int64_t i = wrap_dim("unsqueeze", dim, g.ndim + 1);
    dims d(g);
    d.insert(i, 1, i < g.ndim ? g.sizes()[i] * g.strides()[i] : 1);
    return view_of(t, d, g.offset);
}

Tensor tensor_base::diagonal(int64_t offset, int64_t dim1, int64_t dim2) const {
    const TensorImpl& t = body("diagonal", *this);
    const geometry& g = *t.shape;
    const int64_t a = wrap_dim("diagonal", dim1, g.ndim), b = wrap_dim("diagonal", dim2, g.ndim);
    ops::require_dims_from("diagonal", t, 2, "diag_embed(), which makes a diagonal matrix");
    if (a == b) ops::refuse_same_dims("diagonal", dim1, dim2, "-2 and -1");
    const int64_t rows = offset < 0 ? g.sizes()[a] + offset : g.sizes()[a];
    const int64_t columns = offset < 0 ? g.sizes()[b] : g.sizes()[b] - offset;
    const int64_t length = std::max<int64_t>(0, std::min(rows, columns));
    int64_t start = g.offset;
    if (length > 0) start += offset < 0 ? -offset * g.strides()[a] : offset * g.strides()[b];
    const int64_t stride = g.strides()[a] + g.strides()[b];
    dims d(g);
    d.erase(std::max(a, b));
    d.erase(std::min(a, b));
    d.insert(static_cast<int64_t>(d.sizes.size()), length, stride);
    return view_of(t, d, start);
}

Tensor tensor_base::unfold(int64_t dim, int64_t size, int64_t step) const {
    const TensorImpl& t = body("unfold", *this);
    const geometry& g = *t.shape;
    const int64_t i = wrap_dim("unfold", dim, g.ndim);
    const int64_t whole = g.ndim == 0 ? 1 : g.sizes()[i];
    const int64_t stride = g.ndim == 0 ? 1 : g.strides()[i];
    if (size < 0 || size > whole)
        fail("unfold", "the window size is out of range",
             text("size ", size, " for a dimension of size ", whole), text("0 to ", whole),
             "constant_pad_nd() first");
    if (step <= 0)
        fail("unfold", "the step is not positive", text(step), "1 or more",
             "the window size, for windows that do not overlap");
    dims d(g);
    if (g.ndim > 0) {
        d.sizes[static_cast<std::size_t>(i)] = (whole - size) / step + 1;
        d.strides[static_cast<std::size_t>(i)] = step * stride;
    }
    d.insert(static_cast<int64_t>(d.sizes.size()), size, stride);
    return view_of(t, d, g.offset);
}

Tensor tensor_base::as_strided(IntArrayRef sizes, IntArrayRef strides,
                               optional<int64_t> storage_offset) const {
    const TensorImpl& t = body("as_strided", *this);
    const int64_t offset = storage_offset.value_or(t.shape->offset);
    ops::require_strides("as_strided", sizes, strides, "the strides() of a tensor of that shape");
    geometry_ptr g = make_geometry(sizes, strides, offset, "as_strided");
    __int128 last = offset;
    for (int d = 0; d < g->ndim; ++d)
        last += static_cast<__int128>(g->sizes()[d] - 1) * g->strides()[d];
    const int64_t have = elements_in(*t.storage, t.dtype);
    if (offset < 0 || (g->numel > 0 && last >= have))
        fail("as_strided", "the view exceeds the storage",
             text("sizes ", sizes, ", strides ", strides, " and offset ", offset,
                  " in a storage of ", runtime::count_of(have, "element")),
             have == 0 ? "no elements" : text("elements 0 to ", have - 1),
             "smaller sizes, strides or offset");
    return Tensor(make_view(t, std::move(g)));
}

Tensor tensor_base::detach() const {
    const TensorImpl& t = body("detach", *this);
    auto same = make_intrusive<TensorImpl>();
    same->storage = t.storage;
    same->shape = t.shape;
    same->dtype = t.dtype;
    same->device = t.device;
    start_family(*same);
    return Tensor(std::move(same));
}

Tensor& tensor_base::detach_() const {
    const TensorImpl& t = body("detach_", *this);
    if (!t.storage->differentiated) return self();
    if (t.base)
        fail("detach_", "Can't detach views in-place", ops::shape_of(t), "a tensor that is no view",
             "detach(), which returns another tensor");
    leave_family(const_cast<TensorImpl&>(t));
    return self();
}

}  // namespace sinter::inline v1
