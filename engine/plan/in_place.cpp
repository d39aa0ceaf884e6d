#include "engine/plan/in_place.hpp"

#include "engine/graph/infer.hpp"

namespace sinter::plan {
namespace {

/// Returns the kernel that stores a value, or null if no kernel does.
const cluster* storing_cluster(const fused& f, int value, const index_map** at) {
    for (const cluster& c : f.clusters)
        for (const output& o : c.outputs)
            if (o.value == value) {
                *at = &o.at;
                return &c;
            }
    return nullptr;
}

geometry_ptr geometry_of(const dims_vector& space, const index_map& m) {
    dims_vector strides;
    for (std::size_t k = 0; k < space.size(); ++k) strides.push_back(m.stride(k));
    return make_geometry({space.data(), space.size()}, {strides.data(), strides.size()}, m.offset);
}

}  // namespace

bool may_fail(op::id id, ScalarType in) {
    return (id == op::floor_divide || id == op::remainder || id == op::fmod) &&
           isIntegralType(in, true);
}

const char* row_that_may_fail(const Node& n) {
    if (n.kind != node_kind::pointwise) return nullptr;
    for (const typed_op& o : n.code->ops)
        if (o.what == typed_op::kind::row && may_fail(static_cast<op::id>(o.id), o.in))
            return op::rows[o.id].name;
    return nullptr;
}

int stored_before_write(const subgraph& w, const fused& f) {
    const int last = static_cast<int>(w.nodes.size()) - 1;
    const Node& write = *w.nodes.back();
    if (!write.partial() || write.base().value->unwritten) return -1;
    const int value = subgraph::value_of(write.sources[0]);
    const index_map* written = nullptr;
    const cluster* c = storing_cluster(f, last, &written);
    if (!w.is_node(value) || !c || c->instances.size() < 2) return -1;
    const auto disturbs = [&](const Edge& e, const index_map& read) {
        if (e.value != write.base().value) return false;
        // Rows are reduced side by side, and each may be read more than once.
        const bool same = !c->has_reduction() && e.dtype == write.dtype && read == *written;
        return !same &&
               (e.dtype != write.dtype || isComplexType(e.dtype) ||
                may_overlap(*geometry_of(c->space, read), *geometry_of(c->space, *written)));
    };
    for (const instance& i : c->instances) {
        const Node& n = *w.nodes[static_cast<std::size_t>(i.node)];
        if (row_that_may_fail(n)) return value;
        for (std::size_t s = 0; s < n.sources.size(); ++s)
            if (disturbs(n.sources[s], i.sources[s])) return value;
    }
    return -1;
}

}  // namespace sinter::plan
