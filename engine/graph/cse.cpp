#include "engine/graph/cse.hpp"

#include "engine/graph/infer.hpp"

#include <algorithm>

namespace sinter::inline v1 {
namespace {

constexpr int looked_at = 16;  // readers to search: a value may have very many

bool reads_as(const Edge& e, const leaf& l) {
    return e.value.get() == l.value.get() && e.dtype == dtype_of(l) &&
           e.shape->offset == l.shape->offset && e.shape->sizes_ref() == l.shape->sizes_ref() &&
           e.shape->strides_ref() == l.shape->strides_ref();
}

bool computes(const Node& n, const kernel_op* op, std::span<const leaf> inputs,
              std::span<const Scalar> numbers) {
    return n.kind == node_kind::library && n.library == op && !n.partial() &&
           std::equal(n.sources.begin(), n.sources.end(), inputs.begin(), inputs.end(), reads_as) &&
           std::equal(
               n.scalars.begin(), n.scalars.end(), numbers.begin(), numbers.end(),
               [](const Scalar& a, const Scalar& b) { return a.type() == b.type() && a.equal(b); });
}

}  // namespace

intrusive_ptr<Storage> find_pending(const kernel_op* op, std::span<const leaf> inputs,
                                    std::span<const Scalar> numbers) {
    if (inputs.empty() || !inputs[0].value) return {};
    std::lock_guard lock(graph_mutex());
    int left = looked_at;
    for (Edge* e = inputs[0].value->readers; e && left > 0; e = e->next, --left) {
        const Node& n = *e->reader;
        if (!computes(n, op, inputs, numbers)) continue;
        auto fresh = make_intrusive<Storage>();
        std::lock_guard home(home_lock());
        if (intrusive_ptr<Storage> s = try_share(n.result->owner)) return s;
        // Other nodes read the value, but no tensor refers to it any more. A running flush would
        // not notice a new storage.
        if (n.claimed) continue;
        fresh->current = try_share(n.result);
        if (!fresh->current) continue;
        fresh->current->owner = fresh.get();
        return fresh;
    }
    return {};
}

}  // namespace sinter::inline v1
