#include "ops/common/sharing.hpp"

#include "runtime/strided/walk.hpp"

#include <sinter/functions/functions.hpp>
#include <sinter/warning.hpp>

#include <algorithm>

namespace sinter::ops {
namespace {

/// Returns true if the elements fill their address range, each address once. Dimensions of size 1
/// do not count.
bool is_dense(const geometry& g) {
    return g.contiguous || covers(*make_geometry(g.sizes_ref(), g.strides_ref(), 0), g.numel);
}

}  // namespace

sharing sharing_of(const TensorImpl& a, const TensorImpl& b) {
    if (&a == &b) return sharing::same;
    const geometry &x = *a.shape, &y = *b.shape;
    if (a.storage.get() != b.storage.get() || x.numel == 0 || y.numel == 0) return sharing::none;
    if (!is_dense(x) || !is_dense(y)) return sharing::unclear;
    const auto size_a = static_cast<int64_t>(elementSize(a.dtype)),
               size_b = static_cast<int64_t>(elementSize(b.dtype));
    const int64_t from_a = x.offset * size_a, to_a = from_a + x.numel * size_a;
    const int64_t from_b = y.offset * size_b, to_b = from_b + y.numel * size_b;
    if (from_a == from_b && to_a == to_b)
        return x.strides_ref() == y.strides_ref() ? sharing::same : sharing::partly;
    return from_a < to_b && from_b < to_a ? sharing::partly : sharing::none;
}

bool overlaps_itself(const geometry& g) {
    if (g.numel <= 1 || g.contiguous) return false;
    // If strides are nested, they decide at once. Otherwise the addresses are compared one by one;
    // a large tensor then counts as overlapping.
    int order[64];
    int n = 0;
    for (int d = 0; d < g.ndim; ++d)
        if (g.sizes()[d] > 1) order[n++] = d;
    std::sort(order, order + n, [&](int a, int b) { return g.strides()[a] < g.strides()[b]; });
    int64_t span = 0;  // the highest address that the smaller strides reach
    bool nested = true;
    for (int i = 0; i < n; ++i) {
        const int64_t stride = g.strides()[order[i]];
        if (stride == 0) return true;
        nested = nested && stride > span;
        span += stride * (g.sizes()[order[i]] - 1);
    }
    if (nested) return false;
    if (g.numel > 1 << 16 || g.numel > span + 1) return true;
    std::vector<int64_t> addresses;
    addresses.reserve(static_cast<std::size_t>(g.numel));
    runtime::for_each_element({&g}, 0, g.numel,
                              [&](int64_t offset) { addresses.push_back(offset); });
    std::sort(addresses.begin(), addresses.end());
    return std::adjacent_find(addresses.begin(), addresses.end()) != addresses.end();
}

void refuse_overlap(const char* op, const std::string& got, const char* expected) {
    runtime::fail(
        op,
        "some elements of the input tensor and the written-to tensor refer to a single memory "
        "location",
        got, expected, "clone() on the input first");
}

void warn_of_overlap(const char* op) {
    warn_once(
        Warning(runtime::text("[", op,
                              "] more than one element of the written-to tensor refers to a single "
                              "memory location; try clone() first")));
}

shared_elements::shared_elements(const TensorImpl& t) {
    const geometry& g = *t.shape;
    int64_t span = 1;
    for (int d = 0; d < g.ndim; ++d) span += (g.sizes()[d] - 1) * g.strides()[d];
    vector = view_of(t, {span}, {1}, g.offset);
    places = full({}, 0, beside(t, kLong));
    for (int d = 0; d < g.ndim; ++d)
        places = places.unsqueeze(-1) + arange(g.sizes()[d], beside(t, kLong)) * g.strides()[d];
}

void require_no_partial_overlap(const char* op, const TensorImpl& target,
                                const TensorImpl& source) {
    if (sharing_of(target, source) != sharing::partly) return;
    const geometry &t = *target.shape, &s = *source.shape;
    refuse_overlap(op,
                   runtime::text("views of one storage with strides ", s.strides_ref(), " and ",
                                 t.strides_ref(), ", offsets ", s.offset, " and ", t.offset),
                   "the same view or separate memory");
}

}  // namespace sinter::ops
