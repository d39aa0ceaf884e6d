// Functions of sizes and strides: sums to smaller sizes, padding, and memory with a given layout.
#include "ops/autograd/function.hpp"
#include "ops/common/devices.hpp"

#include <sinter/functions/functions.hpp>

#include <algorithm>

namespace sinter::inline v1 {

using ops::body;
using runtime::fail;
using runtime::text;

// ---- broadcasting
namespace {

template <class List>
std::vector<int64_t> common_shape(const List& shapes) {
    std::vector<int64_t> common;
    for (const auto& shape : shapes) {
        for (int64_t size : shape)
            if (size < 0)
                fail<ValueError>("broadcast_shapes", "a size is negative",
                                 text("sizes ", IntArrayRef(shape)), "sizes of 0 or more",
                                 "sizes() of the tensors");
        common = broadcast_shapes("broadcast_shapes", common, shape);
    }
    return common;
}

}  // namespace

std::vector<int64_t> broadcast_shapes(std::initializer_list<IntArrayRef> shapes) {
    return common_shape(shapes);
}
std::vector<int64_t> broadcast_shapes(const std::vector<std::vector<int64_t>>& shapes) {
    return common_shape(shapes);
}

Tensor tensor_base::sum_to_size(IntArrayRef to) const {
    const TensorImpl& t = body("sum_to_size", *this);
    const IntArrayRef from = t.shape->sizes_ref();
    if (from == to) return self();
    const auto refuse = [&] {
        fail("sum_to_size", "the sizes do not broadcast to the tensor's shape",
             text("sizes ", to, " for shape ", from),
             text("the last sizes of ", from, ", or 1 in their places"), "sum() over dimensions");
    };
    if (to.size() > from.size()) refuse();
    const std::size_t leading = from.size() - to.size();
    std::vector<int64_t> summed;
    for (std::size_t d = 0; d < from.size(); ++d) {
        const bool one = d < leading || (to[d - leading] == 1 && from[d] != 1);
        if (one) summed.push_back(static_cast<int64_t>(d));
        if (!one && to[d - leading] != from[d]) refuse();
    }
    return sum(summed, true).view(to);
}

Tensor constant_pad_nd(const tensor_base& self, IntArrayRef pad, const Scalar& value) {
    const char* op = "constant_pad_nd";
    const TensorImpl& t = body(op, self);
    const IntArrayRef sizes = t.shape->sizes_ref();
    ops::require_pairs(op, pad);
    if (pad.size() / 2 > sizes.size())
        fail(op, "the padding has more pairs than the tensor has dimensions",
             text("padding ", pad, " for shape ", sizes),
             text("at most ", 2 * sizes.size(), " values"), "unsqueeze(0) first");
    runtime::require_fits(op, value, t.dtype);
    std::vector<int64_t> to = sizes.vec();
    for (std::size_t i = 0; i < pad.size() / 2; ++i) {
        int64_t& size = to[to.size() - 1 - i];
        const int64_t before = pad[2 * i], behind = pad[2 * i + 1];
        const int64_t left = size + std::min<int64_t>(before, 0) + std::min<int64_t>(behind, 0);
        size += before + behind;
        if (left < 0)
            fail(op, "the padding removes more elements than there are",
                 text("padding ", pad, " for shape ", sizes), "resulting sizes of 0 or more",
                 "negative values of smaller magnitude");
    }
    const auto compute = [&] {
        Tensor result = full(to, value, ops::beside(t, t.dtype));
        Tensor source = self.self(), target = result;
        for (std::size_t i = 0; i < pad.size() / 2; ++i) {
            const auto d = static_cast<int64_t>(sizes.size() - 1 - i);
            const int64_t before = pad[2 * i], behind = pad[2 * i + 1];
            const int64_t less = std::max<int64_t>(-before, 0);
            const int64_t length = source.size(d) - less - std::max<int64_t>(-behind, 0);
            source = source.narrow(d, less, length);
            target = target.narrow(d, std::max<int64_t>(before, 0), length);
        }
        if (source.numel() > 0) target.copy_(source);
        return result;
    };
    return autograd::with_rule(op, {&self}, {.batched = true}, compute, [&] {
        return [by = pad.vec()](const autograd::rule_call& c) {
            std::vector<int64_t> back;
            for (const int64_t n : by) back.push_back(-n);
            return autograd::variable_list{constant_pad_nd(c.grad(), back, 0)};
        };
    });
}

// ---- memory with a given layout
namespace {

Tensor strided(const char* op, const ops::creation& dtype, IntArrayRef sizes, IntArrayRef strides) {
    ops::require_strides(op, sizes, strides, "the strides() of a tensor of that shape");
    const geometry_ptr shape = make_geometry(sizes, strides, 0, op);
    __int128 reach = shape->numel == 0 ? 0 : 1;
    for (int d = 0; d < shape->ndim && reach > 0; ++d)
        reach += static_cast<__int128>(shape->sizes()[d] - 1) * shape->strides()[d];
    if (reach > INT64_MAX)
        fail(op, "the strides need too many elements",
             text("sizes ", sizes, " and strides ", strides), "fewer than 2^63 elements",
             "smaller strides");
    const Tensor memory(make_empty(dtype, make_contiguous(static_cast<int64_t>(reach))));
    return dtype.made(memory.as_strided(sizes, strides, 0));
}

}  // namespace

Tensor empty_strided(IntArrayRef sizes, IntArrayRef strides, const TensorOptions& options) {
    const ops::creation dtype("empty_strided", options, get_default_dtype(), creation_device());
    return strided("empty_strided", dtype, sizes, strides);
}

Tensor tensor_base::new_empty_strided(IntArrayRef sizes, IntArrayRef strides,
                                      const TensorOptions& options) const {
    const TensorImpl& like = body("new_empty_strided", *this);
    const ops::creation dtype("new_empty_strided", options, like.dtype, like.device);
    return strided("new_empty_strided", dtype, sizes, strides);
}

Tensor empty_permuted(IntArrayRef sizes, IntArrayRef physical_layout,
                      const TensorOptions& options) {
    const char* op = "empty_permuted";
    const ops::creation dtype(op, options, get_default_dtype(), creation_device());
    const std::size_t n = sizes.size();
    std::vector<bool> seen(n, false);
    bool fits = physical_layout.size() == n;
    for (int64_t d : physical_layout) {
        fits = fits && d >= 0 && d < static_cast<int64_t>(n) && !seen[static_cast<std::size_t>(d)];
        if (fits) seen[static_cast<std::size_t>(d)] = true;
    }
    if (!fits)
        fail(op, "physical_layout is not a permutation of the dimensions",
             text("physical_layout ", physical_layout, " for sizes ", sizes),
             text("each number from 0 to ", static_cast<int64_t>(n) - 1, " once"),
             "the dimensions from the outermost to the innermost");
    std::vector<int64_t> strides(n, 1);
    int64_t step = 1;
    for (std::size_t i = n; i-- > 0;) {
        const auto d = static_cast<std::size_t>(physical_layout[i]);
        strides[d] = step;
        if (__builtin_mul_overflow(step, std::max<int64_t>(sizes[d], 1), &step))
            fail(op, "the sizes need too many elements", text("sizes ", sizes),
                 "fewer than 2^63 elements", "smaller sizes");
    }
    return strided(op, dtype, sizes, strides);
}

// ---- filling
Tensor fill(const tensor_base& t, const Scalar& value) {
    runtime::require_fits("fill", value, body("fill", t).dtype);
    return full_like(t, value);
}

Tensor fill(const tensor_base& t, const tensor_base& value) {
    const TensorImpl& like = body("fill", t);
    const TensorImpl& v = body("fill", value);
    ops::require_0d("fill", v, "the value", "broadcast_to() on the value");
    ops::warn_of_cast(v.dtype, like.dtype);
    Tensor result = empty_like(t);
    result.copy_(value.self());
    return result;
}

// ---- function forms
Tensor sum_to_size(const tensor_base& t, IntArrayRef sizes) { return t.sum_to_size(sizes); }

}  // namespace sinter::inline v1
