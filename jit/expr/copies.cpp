// Copies: lazy, each a pointwise identity whose leaf carries the index map.
#include "jit/expr/front.hpp"

#include <sinter/functions.hpp>

#include <algorithm>

namespace sinter::inline v1 {

using front::body;
using front::fail;
using front::read;
using front::sequence;
using front::text;

Tensor tensor_base::flip(IntArrayRef dims) const {
    const TensorImpl& t = body("flip", *this);
    const geometry& g = *t.shape;
    const uint64_t flipped = front::wrap_dims("flip", dims, g.ndim);
    front::dims d(g);
    int64_t offset = g.offset;
    for (std::size_t i = 0; i < d.sizes.size(); ++i) {
        if (!(flipped >> i & 1) || d.sizes[i] == 0) continue;
        offset += (d.sizes[i] - 1) * d.strides[i];
        d.strides[i] = -d.strides[i];
    }
    return sequence()
        .read(read(t, make_geometry(d.sizes, d.strides, offset)))
        .pending(t.dtype, make_contiguous(d.sizes));
}

Tensor tensor_base::roll(IntArrayRef shifts, IntArrayRef dims) const {
    const TensorImpl& t = body("roll", *this);
    const geometry& g = *t.shape;
    if (shifts.empty() || (dims.empty() ? shifts.size() != 1 : shifts.size() != dims.size()))
        fail("roll", "shifts and dimensions differ in number", text(shifts, " and ", dims),
             "one shift for each dimension, or one shift alone", "the same number of both");
    if (g.ndim == 0 && !dims.empty())
        fail<IndexError>("roll", "the tensor has no dimensions", text("dimensions ", dims),
                         "no dimensions", "clone() for a copy");
    if (dims.empty()) return flatten().roll(shifts, 0).view(g.sizes_ref());
    Tensor now = self();
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const int64_t d = front::wrap_dim("roll", dims[i], g.ndim);
        const int64_t size = g.ndim == 0 ? 1 : g.sizes()[d];
        const int64_t shift = size == 0 ? 0 : (shifts[i] % size + size) % size;
        if (shift == 0) continue;
        Tensor next = empty(g.sizes_ref(), t.dtype);
        next.slice(d, shift, size).copy_(now.slice(d, 0, size - shift));
        next.slice(d, 0, shift).copy_(now.slice(d, size - shift, size));
        now = std::move(next);
    }
    return now.is_same(*this) ? clone() : now;
}

Tensor tensor_base::rot90(int64_t k, IntArrayRef dims) const {
    const TensorImpl& t = body("rot90", *this);
    const int64_t ndim = t.shape->ndim;
    if (dims.size() != 2 || ndim < 2)
        fail("rot90", "a rotation needs a plane",
             text("dimensions ", dims, " of a tensor with ", ndim, " dimensions"),
             "two dimensions of a tensor with at least two", "unsqueeze first");
    front::wrap_dims("rot90", dims, ndim);
    switch ((k % 4 + 4) % 4) {
        case 1: return flip(dims[1]).transpose(dims[0], dims[1]);
        case 2: return flip(dims);
        case 3: return flip(dims[0]).transpose(dims[0], dims[1]);
        default: return clone();
    }
}

Tensor tensor_base::fliplr() const {
    const TensorImpl& t = body("fliplr", *this);
    if (t.shape->ndim < 2)
        fail("fliplr", "the tensor has too few dimensions", text("sizes ", t.shape->sizes_ref()),
             "two dimensions or more", "flip");
    return flip(1);
}

Tensor tensor_base::flipud() const {
    if (body("flipud", *this).shape->ndim < 1)
        fail("flipud", "the tensor has too few dimensions", "a 0-d tensor", "one dimension or more",
             "clone");
    return flip(0);
}

Tensor fliplr(const tensor_base& t) { return t.fliplr(); }
Tensor flipud(const tensor_base& t) { return t.flipud(); }

Tensor tensor_base::contiguous() const {
    const TensorImpl& t = body("contiguous", *this);
    if (t.shape->contiguous) return self();
    return sequence().read(read(t)).pending(t.dtype, make_contiguous(t.shape->sizes_ref()));
}

Tensor tensor_base::clone() const {
    const TensorImpl& t = body("clone", *this);
    return sequence().read(read(t)).pending(t.dtype, front::layout_like(*t.shape));
}

namespace {

/// The strides that a tensor of these sizes has in a format.
geometry_ptr in_format(const char* op, const TensorImpl& t, MemoryFormat format) {
    const geometry& g = *t.shape;
    if (format == MemoryFormat::Preserve) return front::layout_like(g);
    if (format == MemoryFormat::Contiguous) return make_contiguous(g.sizes_ref());
    const int rank = format == MemoryFormat::ChannelsLast ? 4 : 5;
    if (g.ndim != rank)
        fail(op, "the tensor does not have the format's dimensions",
             text("sizes ", g.sizes_ref(), " for ", format), text(rank, " dimensions"),
             "MemoryFormat::Contiguous");
    // Batch, then the places, then channels innermost.
    std::vector<int64_t> order{0};
    for (int d = 2; d < rank; ++d) order.push_back(d);
    order.push_back(1);
    std::vector<int64_t> strides(static_cast<std::size_t>(rank));
    int64_t stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        strides[static_cast<std::size_t>(order[i])] = stride;
        stride *= std::max<int64_t>(g.sizes()[order[i]], 1);
    }
    return make_geometry(g.sizes_ref(), strides, 0);
}

bool lies_in(const geometry& g, const geometry& format) {
    for (int d = 0; d < g.ndim; ++d)
        if (g.sizes()[d] != 1 && g.strides()[d] != format.strides()[d]) return false;
    return true;
}

}  // namespace

Tensor tensor_base::clone(MemoryFormat format) const {
    const TensorImpl& t = body("clone", *this);
    return sequence().read(read(t)).pending(t.dtype, in_format("clone", t, format));
}

Tensor tensor_base::contiguous(MemoryFormat format) const {
    body("contiguous", *this);
    if (format == MemoryFormat::Preserve)
        fail("contiguous", "the tensor's own format is no format to bring it in", "Preserve",
             "Contiguous or ChannelsLast", "clone(MemoryFormat::Preserve)");
    return is_contiguous(format) ? self() : clone(format);
}

bool tensor_base::is_contiguous(MemoryFormat format) const {
    const TensorImpl& t = body("is_contiguous", *this);
    if (format == MemoryFormat::Contiguous) return t.shape->contiguous;
    const int rank = format == MemoryFormat::ChannelsLast ? 4 : 5;
    if (format == MemoryFormat::Preserve || t.shape->ndim != rank) return false;
    return lies_in(*t.shape, *in_format("is_contiguous", t, format));
}

Tensor tensor_base::toType(ScalarType dtype) const { return to(dtype); }
Tensor tensor_base::type(ScalarType dtype) const { return to(dtype); }
Tensor tensor_base::type_as(const tensor_base& other) const { return to(other.scalar_type()); }

Tensor tensor_base::to(ScalarType dtype, bool, bool copy) const {
    const TensorImpl& t = body("to", *this);
    front::require_dtype("to", dtype);
    if (dtype == t.dtype) return copy ? clone() : self();
    front::warn_of_cast(t.dtype, dtype);
    return sequence().read(read(t)).cast(dtype).pending(dtype, front::layout_like(*t.shape));
}

Tensor tensor_base::to(TypeMeta dtype, bool non_blocking, bool copy) const {
    return to(dtype.toScalarType(), non_blocking, copy);
}

Tensor tensor_base::to(const TensorOptions& options, bool non_blocking, bool copy) const {
    const TensorImpl& t = body("to", *this);
    front::require_cpu("to", options.device());
    return to(options.dtype_or(t.dtype), non_blocking, copy);
}

Tensor tensor_base::to(Device device, ScalarType dtype, bool non_blocking, bool copy) const {
    return to(TensorOptions(dtype).device(device), non_blocking, copy);
}

Tensor tensor_base::to(const tensor_base& other, bool non_blocking, bool copy) const {
    return to(body("to", other).dtype, non_blocking, copy);
}

Tensor tensor_base::cuda(int8_t index) const { return to(Device(kCUDA, index)); }

Tensor tensor_base::cpu() const {
    body("cpu", *this);
    return self();
}

}  // namespace sinter::inline v1
