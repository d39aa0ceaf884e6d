#include "jit/plan/work.hpp"

#include "jit/graph/infer.hpp"

#include <algorithm>

namespace sinter::plan {

work collect(std::span<Version* const> targets) {
    work w;
    std::vector<Version*> stack;
    auto visit = [&](Version* v) {
        // A value without elements needs no kernel: it counts as known.
        if (v->producer && v->numel != 0 && v->state == version_state::pending && v->index < 0) {
            v->index = 0;
            w.nodes.push_back(v->producer);
            stack.push_back(v);
        }
    };
    for (Version* t : targets) visit(t);
    while (!stack.empty()) {
        Version* v = stack.back();
        stack.pop_back();
        for (Edge& e : v->producer->sources)
            if (e.value) visit(e.value.get());
    }
    std::sort(w.nodes.begin(), w.nodes.end(),
              [](const Node* a, const Node* b) { return a->sequence < b->sequence; });
    w.wanted.assign(w.nodes.size(), 0);
    w.kept.assign(w.nodes.size(), 0);
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
        w.nodes[i]->result->index = static_cast<int32_t>(i);
        w.values.push_back(w.nodes[i]->result);
        w.kept[i] = w.wanted[i] = w.nodes[i]->marked;
    }
    for (Version* t : targets)
        if (t->index >= 0) w.wanted[static_cast<std::size_t>(t->index)] = 1;
    for (Node* n : w.nodes)
        for (Edge& e : n->sources)
            if (e.value && e.value->index < 0) {
                e.value->index = static_cast<int32_t>(w.values.size());
                w.values.push_back(e.value.get());
            }
    return w;
}

namespace {

template <class T>
void put(std::string& key, const T& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put(std::string& key, const geometry& g) {
    put(key, g.offset);
    put(key, g.ndim);
    key.append(reinterpret_cast<const char*>(g.sizes()), 16 * static_cast<std::size_t>(g.ndim));
}

}  // namespace

std::string structure_key(const work& w) {
    std::string key;
    key.reserve(w.nodes.size() * 96);
    put(key, w.nodes.size());
    const geometry* last = nullptr;
    auto put_shape = [&](const geometry* g) {  // runs of one shape are the common case
        if (g == last) {
            key.push_back(1);
            return;
        }
        key.push_back(0);
        put(key, *g);
        last = g;
    };
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
        const Node& n = *w.nodes[i];
        key.push_back(static_cast<char>(n.kind));
        key.push_back(static_cast<char>(n.dtype));
        key.push_back(static_cast<char>(w.wanted[i] | (n.partial() ? 2 : 0)));
        put_shape(n.shape.get());
        put(key, n.code);
        if (n.kind == node_kind::reduce) {
            put(key, n.reduction);
            put(key, n.reduced);
            key.push_back(static_cast<char>(n.in));
        }
        if (n.kind == node_kind::library) put(key, n.library);
        put(key, static_cast<uint32_t>(n.sources.size()));
        for (const Edge& e : n.sources) {
            put(key, work::value_of(e));
            put_shape(e.shape.get());
        }
    }
    for (std::size_t v = w.nodes.size(); v < w.values.size(); ++v)
        key.push_back(static_cast<char>(w.values[v]->dtype));
    return key;
}

}  // namespace sinter::plan
