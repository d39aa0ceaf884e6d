#include "ops/index/slicing.hpp"

#include "kernels/index/space.hpp"
#include "ops/common/op_checks.hpp"

#include <algorithm>

namespace sinter::ops {

slice_part clamp_slice(int64_t size, optional<int64_t> from, optional<int64_t> to, int64_t step) {
    const auto place = [&](int64_t at) {
        return std::clamp<int64_t>(at < 0 ? at + size : at, 0, size);
    };
    const int64_t start = place(from.value_or(0));
    const int64_t stop = std::max(start, place(to.value_or(size)));
    const int64_t span = stop - start;
    return {start, span == 0 ? 0 : (span - 1) / step + 1};
}

int64_t wrap_index(const char* op, int64_t index, int64_t dim, const geometry& g, int64_t size) {
    if (index < -size || index >= size)
        throw IndexError(index_kernels::outside(op, index, dim, g, true));
    return index < 0 ? index + size : index;
}

void require_dimensions(const char* op, const geometry& g) {
    if (g.ndim == 0)
        runtime::fail<IndexError>(op,
                                  std::string_view(op) == "index"
                                      ? std::string("invalid index of a 0-dim tensor")
                                      : runtime::text(op, "() cannot be applied to a 0-dim tensor"),
                                  "a 0-d tensor", "at least 1 dimension",
                                  "item() for its value, or unsqueeze(0) first");
}

}  // namespace sinter::ops

namespace sinter::inline v1 {

using ops::body;
using ops::dims;

using ops::clamp_slice;
using ops::require_dimensions;
using ops::slice_part;
using ops::wrap_index;

Tensor tensor_base::slice(int64_t dim, optional<int64_t> start, optional<int64_t> end,
                          int64_t step) const {
    const TensorImpl& t = body("slice", *this);
    const geometry& g = *t.shape;
    require_dimensions("slice", g);
    const auto i = static_cast<std::size_t>(ops::wrap_dim("slice", dim, g.ndim));
    dims d(g);
    if (step <= 0)
        runtime::fail("slice", "the step is not positive", runtime::text("step ", step),
                      "1 or more", "flip() to reverse the dimension");
    const slice_part p = clamp_slice(d.sizes[i], start, end, step);
    const int64_t offset = g.offset + p.start * d.strides[i];
    d.sizes[i] = p.length;
    d.strides[i] *= step;
    return ops::view_of(t, d.sizes, d.strides, offset);
}

Tensor tensor_base::select(int64_t dim, int64_t index) const {
    const TensorImpl& t = body("select", *this);
    const geometry& g = *t.shape;
    require_dimensions("select", g);
    const int64_t i = ops::wrap_dim("select", dim, g.ndim);
    const int64_t at = wrap_index("select", index, i, g, g.sizes()[i]);
    const int64_t offset = g.offset + at * g.strides()[i];
    dims d(g);
    d.erase(i);
    return ops::view_of(t, d.sizes, d.strides, offset);
}

Tensor tensor_base::narrow(int64_t dim, int64_t start, int64_t length) const {
    const TensorImpl& t = body("narrow", *this);
    const geometry& g = *t.shape;
    // PyTorch throws an Error here, not an IndexError.
    ops::require_dims_from("narrow", t, 1, "unsqueeze(0) first");
    if (length < 0)
        runtime::fail("narrow", "the length is negative", runtime::text(length), "0 or more",
                      "slice(), which takes the end in place of the length");
    const int64_t i = ops::wrap_dim("narrow", dim, g.ndim);
    const int64_t size = g.sizes()[i];
    const int64_t from = start == size ? start : wrap_index("narrow", start, i, g, size);
    if (length > size - from)
        runtime::fail("narrow",
                      runtime::text("start (", start, ") + length (", length,
                                    ") exceeds dimension size (", size, ")"),
                      runtime::text("shape ", g.sizes_ref()),
                      runtime::text("a length of 0 to ", size - from),
                      "slice(), which clamps the end");
    return slice(i, from, from + length, 1);
}

Tensor tensor_base::narrow(int64_t dim, const tensor_base& start, int64_t length) const {
    const TensorImpl& s = body("narrow", start);
    if (s.shape->ndim != 0 || !isIntegralType(s.dtype, false))
        runtime::fail("narrow", "the start is not a single integer",
                      runtime::text("a ", s.dtype, " tensor of shape ", s.shape->sizes_ref()),
                      "a 0-d integral tensor", "start.item<int64_t>()");
    return narrow(dim, start.item<int64_t>(), length);
}

Tensor tensor_base::narrow_copy(int64_t dim, int64_t start, int64_t length) const {
    return narrow(dim, start, length).clone(MemoryFormat::Contiguous);
}

Tensor tensor_base::operator[](int64_t index) const {
    const TensorImpl& t = body("index", *this);
    require_dimensions("index", *t.shape);
    return select(0, index);
}

Tensor tensor_base::operator[](const Scalar& index) const {
    if (!index.isIntegral(false))
        runtime::fail<IndexError>("index", "Can only index tensors with integral scalars",
                                  runtime::text(runtime::to_text(index), " of type ", index.type()),
                                  "an integer", "toLong() on the Scalar");
    return (*this)[index.toLong()];
}

Tensor tensor_base::operator[](const tensor_base& index) const {
    if (!index.defined())
        runtime::fail<IndexError>("index", "Can only index with tensors that are defined",
                                  "a default-constructed Tensor", "a 0-d integral tensor",
                                  "an integer");
    const TensorImpl& i = body("index", index);
    if (i.shape->ndim != 0)
        runtime::fail<IndexError>(
            "index", "Can only index with tensors that are scalars (zero-dim)",
            runtime::text("a ", i.dtype, " tensor of shape ", i.shape->sizes_ref()),
            "a 0-d integral tensor", "index({t}), which takes any shape");
    return (*this)[index.item()];
}

}  // namespace sinter::inline v1
