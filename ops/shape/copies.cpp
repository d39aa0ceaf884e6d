// Copies. They are lazy: each is a pointwise identity whose leaf carries the index map.
#include "ops/autograd/function.hpp"
#include "ops/common/devices.hpp"

#include <sinter/functions/functions.hpp>

#include <algorithm>

namespace sinter::inline v1 {

using ops::body;
using ops::read;
using ops::sequence;
using runtime::fail;
using runtime::text;

Tensor tensor_base::flip(IntArrayRef dims) const {
    const TensorImpl& t = body("flip", *this);
    const geometry& g = *t.shape;
    const uint64_t flipped = ops::wrap_dims("flip", dims, g.ndim);
    ops::dims d(g);
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
        fail("roll", "shifts and dims have different lengths",
             text("shifts ", shifts, " and dims ", dims),
             "one shift for each dimension, or one shift and no dims",
             "leaving dims out, which rolls the flattened tensor");
    if (!dims.empty()) ops::require_dims_from<IndexError>("roll", t, 1, "leaving dims out");
    if (dims.empty()) return flatten().roll(shifts, 0).view(g.sizes_ref());
    const auto compute = [&] {
        Tensor now = self();
        for (std::size_t i = 0; i < dims.size(); ++i) {
            const int64_t d = ops::wrap_dim("roll", dims[i], g.ndim);
            const int64_t size = g.ndim == 0 ? 1 : g.sizes()[d];
            const int64_t shift = size == 0 ? 0 : (shifts[i] % size + size) % size;
            if (shift == 0) continue;
            Tensor next = ops::unwritten("roll", g.sizes_ref(), t, t.dtype);
            next.slice(d, shift, size).copy_(now.slice(d, 0, size - shift));
            next.slice(d, 0, shift).copy_(now.slice(d, size - shift, size));
            now = std::move(next);
        }
        return now.is_same(*this) ? clone() : now;
    };
    // Each write of a part would cost the gradient a copy of the whole.
    return autograd::with_rule("roll", {this}, {.batched = true}, compute, [&] {
        // From behind, where several gradients at once have no dimension more.
        std::vector<int64_t> from_behind = dims.vec();
        for (int64_t& d : from_behind) d = ops::wrap_dim("roll", d, g.ndim) - g.ndim;
        return [by = shifts.vec(), along = std::move(from_behind)](const autograd::rule_call& c) {
            std::vector<int64_t> back;
            for (const int64_t shift : by) back.push_back(-shift);
            return autograd::variable_list{c.grad().roll(back, along)};
        };
    });
}

Tensor tensor_base::rot90(int64_t k, IntArrayRef dims) const {
    const TensorImpl& t = body("rot90", *this);
    const int64_t ndim = t.shape->ndim;
    if (dims.size() != 2 || ndim < 2)
        fail("rot90", "a rotation needs two dimensions",
             text("dims ", dims, " of a tensor with ", runtime::count_of(ndim, "dimension")),
             "two dims of a tensor with at least 2 dimensions", "unsqueeze(0) first");
    ops::wrap_dims("rot90", dims, ndim);
    switch ((k % 4 + 4) % 4) {
        case 1: return flip(dims[1]).transpose(dims[0], dims[1]);
        case 2: return flip(dims);
        case 3: return flip(dims[0]).transpose(dims[0], dims[1]);
        default: return clone();
    }
}

Tensor tensor_base::fliplr() const {
    const TensorImpl& t = body("fliplr", *this);
    ops::require_dims_from("fliplr", t, 2, "flip(0), which reverses a vector");
    return flip(1);
}

Tensor tensor_base::flipud() const {
    ops::require_dims_from("flipud", body("flipud", *this), 1, "unsqueeze(0) first");
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
    return sequence().read(read(t)).pending(t.dtype, ops::layout_like(*t.shape));
}

Tensor tensor_base::toType(ScalarType dtype) const { return to(dtype); }
Tensor tensor_base::type(ScalarType dtype) const { return to(dtype); }
Tensor tensor_base::type_as(const tensor_base& other) const { return to(other.scalar_type()); }

Tensor tensor_base::to(ScalarType dtype, bool, bool copy, optional<MemoryFormat> format) const {
    const TensorImpl& t = body("to", *this);
    runtime::require_dtype("to", dtype);
    const bool other_format =
        format && *format != MemoryFormat::Preserve && *format != ops::suggested_format(*t.shape);
    if (dtype == t.dtype && !other_format) return copy ? clone(format) : self();
    ops::warn_of_cast(t.dtype, dtype);
    return sequence().read(read(t)).cast(dtype).pending(
        dtype, ops::in_format("to", *t.shape, format.value_or(MemoryFormat::Preserve)));
}

Tensor tensor_base::to(TypeMeta dtype, bool non_blocking, bool copy) const {
    return to(dtype.toScalarType(), non_blocking, copy);
}

Tensor tensor_base::to(const TensorOptions& options, bool non_blocking, bool copy,
                       optional<MemoryFormat> format) const {
    const TensorImpl& t = body("to", *this);
    const ScalarType dtype = options.dtype_or(t.dtype);
    const runtime::device_index place =
        options.has_device() ? ops::device_index_of("to", options.device()) : t.device;
    if (options.pinned_memory()) {
        ops::require_pinnable("to", place);
        const TensorOptions there = TensorOptions(dtype).device(ops::device_of(place));
        return to(there, non_blocking, copy, format).pin_memory();
    }
    if (place == t.device) return to(dtype, non_blocking, copy, format);
    // Elements are converted on the GPU, which is faster.
    if (place == runtime::main_memory)
        return ops::moved(to(dtype, non_blocking, false, format), place, !non_blocking);
    return ops::moved(self(), place, !non_blocking).to(dtype, non_blocking, false, format);
}

Tensor tensor_base::to(Device device, ScalarType dtype, bool non_blocking, bool copy,
                       optional<MemoryFormat> format) const {
    return to(TensorOptions(dtype).device(device), non_blocking, copy, format);
}

Tensor tensor_base::to(optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
                       optional<bool> pin_memory, bool non_blocking, bool copy,
                       optional<MemoryFormat> format) const {
    TensorOptions options = TensorOptions().pinned_memory(pin_memory.value_or(false));
    if (dtype) options = options.dtype(*dtype);
    if (layout) options = options.layout(*layout);
    if (device) options = options.device(*device);
    return to(options, non_blocking, copy, format);
}

Tensor tensor_base::to(const tensor_base& other, bool non_blocking, bool copy,
                       optional<MemoryFormat> format) const {
    return to(other.options(), non_blocking, copy, format);
}

Tensor tensor_base::cuda(int8_t index, bool non_blocking) const {
    return to(Device(kCUDA, index), non_blocking);
}

Tensor tensor_base::cpu() const {
    body("cpu", *this);
    return ops::on_host(*this);
}

}  // namespace sinter::inline v1
