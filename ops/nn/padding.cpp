// Padding by elements of the tensor, and functions that cut and pair elements.
#include "ops/common/op_checks.hpp"

#include <sinter/functions/nn_functional.hpp>

#include <algorithm>

namespace sinter::inline v1::nn::functional {

using ops::body;
using runtime::fail;
using runtime::text;

namespace {

using padding_kind = padding_t::kind;

/// Returns the source index of each element of a padded dimension.
Tensor sources(const TensorOptions& longs, padding_kind mode, int64_t before, int64_t behind,
               int64_t size) {
    const Tensor at = arange(-before, size + behind, longs);
    switch (mode) {
        case padding_kind::replicate: return at.clamp(0, size - 1);
        case padding_kind::circular: return at.remainder(size);
        default: return size - 1 - abs(size - 1 - abs(at));
    }
}

void require_room(const char* op, padding_kind mode, IntArrayRef pad, IntArrayRef sizes,
                  int64_t before, int64_t behind, int64_t size) {
    const int64_t most = std::max(before, behind);
    const bool fits = mode == padding_kind::reflect    ? most < size
                      : mode == padding_kind::circular ? most <= size
                                                       : size > 0;
    if (!fits || size + before + behind < (mode == padding_kind::circular ? 0 : 1))
        fail(op, "the tensor is too small for this padding",
             text("padding ", pad, " for shape ", sizes),
             mode == padding_kind::reflect ? "less padding than the size"
                                           : "no more padding than the size",
             "kConstant, which takes any padding");
}

}  // namespace

Tensor pad(const tensor_base& self, const PadFuncOptions& options) {
    const char* op = "pad";
    const TensorImpl& t = body(op, self);
    const IntArrayRef pad(options.pad()), sizes = t.shape->sizes_ref();
    const padding_kind mode = options.mode();
    if (mode == padding_kind::constant) return constant_pad_nd(self, pad, options.value());
    ops::require_pairs(op, pad);
    if (options.value() != 0)
        fail(op, "the mode does not use the value", text("value ", options.value()), "value 0",
             "kConstant, which pads with the value");
    const std::size_t dims = pad.size() / 2;
    if (dims < 1 || dims > 3 || sizes.size() < dims + 1 || sizes.size() > dims + 2)
        fail<NotImplementedError>(
            op, "the mode cannot pad this many dimensions",
            text(runtime::count_of(static_cast<int64_t>(dims), "padded dimension"), " for shape ",
                 sizes),
            "1 to 3 padded dimensions after 1 or 2 others", "unsqueeze(0) first, or kConstant");
    Tensor y = self.self();
    for (std::size_t i = 0; i < dims; ++i) {
        const auto d = static_cast<int64_t>(sizes.size() - 1 - i);
        int64_t before = pad[2 * i], behind = pad[2 * i + 1], size = y.size(d);
        require_room(op, mode, pad, sizes, before, behind, size);
        if (mode == padding_kind::circular && (before < 0 || behind < 0)) {
            // Removed elements must not be used as padding.
            const int64_t less = std::max<int64_t>(-before, 0);
            y = y.narrow(d, less, size - less - std::max<int64_t>(-behind, 0));
            before = std::max<int64_t>(before, 0);
            behind = std::max<int64_t>(behind, 0);
            size = y.size(d);
            require_room(op, mode, pad, sizes, before, behind, size);
        }
        if (before == 0 && behind == 0) continue;
        const TensorOptions longs = ops::beside(t, kLong);
        y = y.index_select(d, sources(longs, mode, before, behind, size));
    }
    return y.is_same(self) ? y.clone() : y;
}

Tensor glu(const tensor_base& self, const GLUFuncOptions& options) {
    const TensorImpl& t = body("glu", self);
    ops::require_dims_from("glu", t, 1, "unsqueeze(0) first");
    const int64_t dim = ops::wrap_dim("glu", options.dim(), t.shape->ndim), size = self.size(dim);
    if (size % 2 != 0)
        fail("glu", "the size is odd", text("size ", size, " in dimension ", dim), "an even size",
             "narrow() to leave an element out");
    ops::require_floating("glu", t.dtype);
    return self.narrow(dim, 0, size / 2) * self.narrow(dim, size / 2, size / 2).sigmoid();
}

Tensor pdist(const tensor_base& self, double p) {
    const TensorImpl& t = body("pdist", self);
    ops::require_matrix("pdist", t, "flatten(1), or cdist() for batches");
    if (!(p >= 0)) fail("pdist", "p is negative or NaN", text(p), "0 or more", "2, the default");
    const int64_t n = self.size(0);
    const Tensor pairs = triu_indices(n, n, 1, ops::beside(t, kLong));
    const Tensor all = cdist(self, self, p).reshape(-1);
    return all.index_select(0, pairs.select(0, 0) * n + pairs.select(0, 1));
}

}  // namespace sinter::inline v1::nn::functional
