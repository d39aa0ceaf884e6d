// Views that move, split or repeat dimensions. All share the storage; none computes anything.
#include "ops/common/op_checks.hpp"

#include <algorithm>

namespace sinter::inline v1 {

using ops::body;
using ops::dims;
using ops::fail;
using ops::text;
using ops::wrap_dim;

namespace {

Tensor view_of(const TensorImpl& t, const dims& d, int64_t offset) {
    return ops::view_of(t, d.sizes, d.strides, offset);
}

Tensor alias(const TensorImpl& of) { return Tensor(make_view(of, of.shape)); }

Tensor expanded(const char* op, const TensorImpl& t, IntArrayRef sizes) {
    const geometry& g = *t.shape;
    const auto refuse = [&](const char* what) {
        fail(
            op, what, text("sizes ", sizes, " for a tensor of ", g.sizes_ref()),
            "the tensor's sizes from the right, any size in place of 1 or in front, -1 to keep one",
            "unsqueeze first");
    };
    const int64_t lead = static_cast<int64_t>(sizes.size()) - g.ndim;
    if (lead < 0) refuse("there are fewer sizes than dimensions");
    std::vector<int64_t> to(sizes.size()), strides(sizes.size());
    for (int64_t i = static_cast<int64_t>(sizes.size()) - 1; i >= 0; --i) {
        const auto k = static_cast<std::size_t>(i);
        const int64_t own = i >= lead ? g.sizes()[i - lead] : 1;
        const int64_t next = k + 1 < to.size() ? to[k + 1] * strides[k + 1] : 1;
        strides[k] = i >= lead ? g.strides()[i - lead] : g.ndim == 0 ? 0 : next;
        to[k] = sizes[k];
        if (sizes[k] == -1) {
            if (i < lead) refuse("-1 stands for a dimension that does not exist");
            to[k] = own;
        } else if (sizes[k] != own) {
            if (own != 1 || sizes[k] < 0) refuse("a dimension cannot be expanded");
            strides[k] = 0;
        }
    }
    return ops::view_of(t, to, strides, g.offset);
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
    if (t.shape->ndim > 2)
        fail("t", "the tensor has too many dimensions", text("sizes ", t.shape->sizes_ref()),
             "at most 2 dimensions", "transpose or permute");
    return t.shape->ndim < 2 ? alias(t) : transpose(0, 1);
}

Tensor tensor_base::permute(IntArrayRef order) const {
    const TensorImpl& t = body("permute", *this);
    const geometry& g = *t.shape;
    if (order.size() != static_cast<std::size_t>(g.ndim))
        fail("permute", "the list does not name every dimension",
             text(order, " for sizes ", g.sizes_ref()), text(g.ndim, " dimensions"),
             "each dimension once");
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
    if (a == b || g.ndim < 2)
        fail("diagonal", "the two dimensions are not different",
             text("dimensions ", dim1, " and ", dim2), "two dimensions of the tensor", "0 and 1");
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
        fail("unfold", "the window does not fit the dimension",
             text("size ", size, " for a dimension of ", whole), text("0 to ", whole),
             "a smaller size");
    if (step <= 0) fail("unfold", "the step is not positive", text(step), "1 or more", "step 1");
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
    if (sizes.size() != strides.size())
        fail("as_strided", "sizes and strides differ in number", text(sizes, " and ", strides),
             "one stride for each size", "strides() of a similar tensor");
    for (int64_t s : strides)
        if (s < 0)
            fail("as_strided", "a stride is negative", text("strides ", strides),
                 "strides of 0 or more", "flip");
    geometry_ptr g = make_geometry(sizes, strides, offset);
    __int128 last = offset;
    for (int d = 0; d < g->ndim; ++d)
        last += static_cast<__int128>(g->sizes()[d] - 1) * g->strides()[d];
    const int64_t have = elements_in(*t.storage, t.dtype);
    if (offset < 0 || (g->numel > 0 && last >= have))
        fail("as_strided", "the view leaves the storage",
             text("sizes ", sizes, ", strides ", strides, " and offset ", offset,
                  " in a storage of ", have, " elements"),
             text("elements 0 to ", have - 1), "smaller sizes, strides or offset");
    return Tensor(make_view(t, std::move(g)));
}

Tensor tensor_base::detach() const { return alias(body("detach", *this)); }

}  // namespace sinter::inline v1
