#include "ops/vmap/recorded.hpp"

#include "ops/common/op_checks.hpp"
#include "runtime/base/waiting_lock.hpp"

#include <algorithm>
#include <unordered_map>

namespace sinter::ops {

placeholder make_placeholder(IntArrayRef sizes, ScalarType dtype, runtime::device_index device,
                             const std::exception_ptr& error) {
    geometry_ptr shape = make_contiguous(sizes);
    intrusive_ptr<Version> v = new_version(dtype, shape->numel, device);
    v->error = error;
    v->state = version_state::failed;
    auto s = make_intrusive<Storage>();
    v->owner = s.get();
    s->current = v;
    auto t = make_intrusive<TensorImpl>();
    t->storage = std::move(s);
    t->shape = std::move(shape);
    t->dtype = dtype;
    t->device = device;
    return {Tensor(std::move(t)), std::move(v)};
}

namespace {

leaf leaf_of(const Edge& e) { return {e.shape, e.value, false, e.dtype}; }

recorded_work copy_of(const Node& n, Version& result) {
    recorded_work w;
    w.result = share(&result);
    w.kind = n.kind;
    w.dtype = n.dtype;
    w.shape = n.shape;
    for (const Edge& e : n.sources) w.sources.push_back(leaf_of(e));
    if (n.partial()) w.base = n.base().value;
    w.backward = n.backward;
    w.device = n.device;
    switch (n.kind) {
        case node_kind::pointwise:
            w.scalars.assign(n.scalars.begin(), n.scalars.end());
            w.code = n.code;
            break;
        case node_kind::reduce:
            w.reduced = n.reduced;
            w.correction = n.correction;
            w.reduction = n.reduction;
            w.in = n.in;
            break;
        case node_kind::library: w.library = n.library; w.attributes = attributes_ptr(n.attributes);
    }
    return w;
}

/// A walk over pending nodes, each after what it reads. The caller holds the graph mutex.
class dependents {
public:
    explicit dependents(std::span<const placeholder> placeholders) {
        for (const placeholder& p : placeholders) {
            depends_[p.value.get()] = true;
            errors_.push_back(p.value->error);
        }
    }

    /// Returns false if a value depended on a placeholder and has failed.
    bool visit(Version* root) {
        enter(root);
        while (!open_.empty()) {
            visited& last = open_.back();
            const Node* n = last.version->producer;
            if (n && last.next < n->sources.size() + (n->partial() ? 1 : 0)) {
                Version* source = n->sources.data()[last.next++].value.get();
                if (source) enter(source);
                continue;
            }
            leave(*last.version);
            open_.pop_back();
        }
        return !lost_;
    }

    std::vector<recorded_work> found;

private:
    struct visited {
        Version* version;
        std::size_t next = 0;  // of the producer's edges
    };

    void enter(Version* v) {
        if (!depends_.try_emplace(v, false).second) return;
        if (v->state == version_state::failed)
            lost_ = lost_ || std::find(errors_.begin(), errors_.end(), v->error) != errors_.end();
        else if (v->producer)
            open_.push_back({v});
    }

    void leave(Version& v) {
        const Node& n = *v.producer;
        const std::size_t edges = n.sources.size() + (n.partial() ? 1 : 0);
        const bool any =
            std::any_of(n.sources.data(), n.sources.data() + edges,
                        [&](const Edge& e) { return e.value && depends_[e.value.get()]; });
        if (!any) return;
        depends_[&v] = true;
        found.push_back(copy_of(n, v));
    }

    std::unordered_map<const Version*, bool> depends_;
    std::vector<std::exception_ptr> errors_;
    std::vector<visited> open_;
    bool lost_ = false;
};

}  // namespace

std::optional<std::vector<recorded_work>> work_between(std::span<const placeholder> placeholders,
                                                       std::span<const Tensor> results) {
    const std::lock_guard lock(graph_mutex());
    dependents all(placeholders);
    for (const Tensor& t : results)
        if (!all.visit(t.unsafeGetTensorImpl()->storage->current.get())) return std::nullopt;
    return std::move(all.found);
}

std::unique_ptr<Node> node_like(const recorded_work& w, std::span<const leaf> sources,
                                geometry_ptr shape) {
    std::unique_ptr<Node> n = Node::bare(sources.size(), w.scalars.size(), false);
    for (std::size_t i = 0; i < sources.size(); ++i)
        ::new (&n->sources[i]) Edge{
            .value = sources[i].value, .shape = sources[i].shape, .dtype = dtype_of(sources[i])};
    std::copy(w.scalars.begin(), w.scalars.end(), n->scalars.begin());
    n->kind = w.kind;
    n->dtype = w.dtype;
    n->shape = std::move(shape);
    n->device = w.device;
    n->backward = w.backward;
    switch (w.kind) {
        case node_kind::pointwise: n->code = w.code; break;
        case node_kind::reduce:
            n->reduced = w.reduced;
            n->correction = w.correction;
            n->reduction = w.reduction;
            n->in = w.in;
            break;
        case node_kind::library:
            n->library = w.library;
            n->attributes = attributes_ptr(w.attributes).detach();
    }
    return n;
}

}  // namespace sinter::ops
