// Memory formats: the order of the dimensions of a dense tensor in memory.
#include "ops/common/op_checks.hpp"

#include <algorithm>

namespace sinter::ops {

geometry_ptr in_format(const char* op, const geometry& g, MemoryFormat format) {
    if (format == MemoryFormat::Preserve) return layout_like(g);
    if (format == MemoryFormat::Contiguous) return make_contiguous(g.sizes_ref());
    const int rank = format == MemoryFormat::ChannelsLast ? 4 : 5;
    if (g.ndim != rank)
        runtime::fail(op, "the memory format needs another number of dimensions",
                      runtime::text("shape ", g.sizes_ref(), " for ", format),
                      runtime::text(rank, " dimensions"), "MemoryFormat::Contiguous");
    // Batch, then the spatial dimensions, then channels innermost.
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

namespace {

bool lies_in(const geometry& g, const geometry& format) {
    for (int d = 0; d < g.ndim; ++d)
        if (g.sizes()[d] != 1 && g.strides()[d] != format.strides()[d]) return false;
    return true;
}

}  // namespace

bool lies_in_format(const geometry& g, MemoryFormat format) {
    if (format == MemoryFormat::Contiguous || format == MemoryFormat::Preserve) return g.contiguous;
    if (g.ndim != (format == MemoryFormat::ChannelsLast ? 4 : 5)) return false;
    return lies_in(g, *in_format("is_contiguous", g, format));
}

MemoryFormat suggested_format(const geometry& g) {
    if (g.contiguous) return MemoryFormat::Contiguous;
    for (MemoryFormat f : {MemoryFormat::ChannelsLast, MemoryFormat::ChannelsLast3d})
        if (lies_in_format(g, f)) return f;
    return MemoryFormat::Contiguous;
}

}  // namespace sinter::ops

namespace sinter::inline v1 {

using ops::body;

MemoryFormat tensor_base::suggest_memory_format(bool) const {
    return ops::suggested_format(*body("suggest_memory_format", *this).shape);
}

Tensor tensor_base::clone(optional<MemoryFormat> format) const {
    const TensorImpl& t = body("clone", *this);
    return ops::sequence()
        .read(ops::read(t))
        .pending(t.dtype,
                 ops::in_format("clone", *t.shape, format.value_or(MemoryFormat::Preserve)));
}

Tensor tensor_base::contiguous(MemoryFormat format) const {
    body("contiguous", *this);
    if (format == MemoryFormat::Preserve && !is_contiguous())
        runtime::fail("contiguous", "MemoryFormat::Preserve names no format", "Preserve",
                      "Contiguous, ChannelsLast or ChannelsLast3d",
                      "clone(MemoryFormat::Preserve)");
    return is_contiguous(format) ? self() : clone(format);
}

bool tensor_base::is_contiguous(MemoryFormat format) const {
    return ops::lies_in_format(*body("is_contiguous", *this).shape, format);
}

}  // namespace sinter::inline v1
