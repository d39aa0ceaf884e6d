#include "ops/common/conjugate.hpp"

#include "engine/graph/infer.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <vector>

namespace sinter::ops {
namespace {

sequence conjugate_of(const leaf& l, ScalarType dtype) {
    sequence code;
    code.read(l).part(0).read(l).part(1).row(op::neg).join(dtype);
    return code;
}

const program* conjugate_code(ScalarType dtype) {
    static constinit std::atomic<const program*> known[2] = {};
    auto& code = known[dtype == kComplexDouble];
    if (!code.load())
        code = conjugate_of({}, dtype).code();  // programs are interned, so a pointer
                                                // compares
    return code;
}

/// Returns the layout of `view` translated from a storage of layout `dense` to one of layout
/// `source`, which has the sizes of `dense`. Returns null if a dimension of the view is not part of
/// one dimension of `dense`.
geometry_ptr seen_through(const geometry& view, const geometry& dense, const geometry& source) {
    if (view.offset == dense.offset && view.sizes_ref() == dense.sizes_ref() &&
        view.strides_ref() == dense.strides_ref())
        return make_geometry(source.sizes_ref(), source.strides_ref(), source.offset);
    const auto rank = static_cast<std::size_t>(dense.ndim);
    // The strides of a dense layout act as place values: the offset has one digit for each
    // dimension.
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return dense.strides()[a] > dense.strides()[b];
    });
    std::vector<int64_t> last(rank, 0);  // the last index that the view reaches in each dimension
    int64_t rest = view.offset - dense.offset, offset = source.offset;
    for (const std::size_t d : order) {
        if (dense.sizes()[d] <= 1) continue;
        last[d] = rest / dense.strides()[d];
        rest %= dense.strides()[d];
        offset += last[d] * source.strides()[d];
    }
    std::vector<int64_t> strides;
    for (int32_t v = 0; v < view.ndim; ++v) {
        const int64_t size = view.sizes()[v], stride = view.strides()[v];
        int64_t through = 0;
        if (size > 1 && stride != 0) {
            std::size_t at = 0;  // the largest stride that is at most the view's
            while (at < rank &&
                   (dense.sizes()[order[at]] <= 1 || dense.strides()[order[at]] > stride))
                ++at;
            if (at == rank || stride % dense.strides()[order[at]] != 0) return {};
            const std::size_t d = order[at];
            const int64_t steps = stride / dense.strides()[d];
            last[d] += steps * (size - 1);
            if (last[d] >= dense.sizes()[d]) return {};
            through = steps * source.strides()[d];
        }
        strides.push_back(through);
    }
    return make_geometry(view.sizes_ref(), strides, offset);
}

bool lies_alike(const geometry& a, const geometry& b) {
    for (int32_t d = 0; d < a.ndim; ++d)
        if (a.sizes()[d] > 1 && a.strides()[d] != b.strides()[d]) return false;
    return true;
}

}  // namespace

Tensor conjugate(const TensorImpl& z) {
    return conjugate_of(read(z), z.dtype).pending(z.dtype, layout_like(*z.shape));
}

bool take_conjugate(leaf& l, bool any_layout) {
    const Version* v = l.value.get();
    if (!v || v->state.load(std::memory_order_acquire) != version_state::pending) return false;
    if (l.gradient) return false;  // it is that of the conjugate
    intrusive_ptr<Version> source;
    {
        std::lock_guard lock(graph_mutex());
        const Node* n = v->producer;
        const ScalarType dtype = dtype_of(l);
        if (!n || n->claimed || n->partial() || n->kind != node_kind::pointwise ||
            n->dtype != dtype || l.shape->numel == 0 || n->shape->numel != v->numel ||
            n->code->source != conjugate_code(dtype))
            return false;
        const Edge& of = n->sources[0];
        geometry_ptr shape = seen_through(*l.shape, *n->shape, *of.shape);
        if (!shape || (!any_layout && !lies_alike(*shape, *l.shape))) return false;
        source = of.value;
        l.shape = std::move(shape);
        l.dtype = of.dtype;
    }
    l.value.swap(source);  // swapped, so that the conjugate is released after the lock
    return true;
}

}  // namespace sinter::ops
