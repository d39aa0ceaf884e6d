#include "jit/plan/work.hpp"

#include "jit/graph/claim.hpp"
#include "jit/graph/infer.hpp"
#include "jit/graph/pending.hpp"

#include <algorithm>

namespace sinter::plan {

claimed_work::claimed_work(std::span<Version* const> targets) {
    std::vector<Version*> empty;
    {
        std::unique_lock lock(graph_mutex());
        while (!collect(targets, empty)) wait_for_claims(lock);
    }
    try {
        for (Version* v : empty) {
            v->buffer = runtime::make_buffer(0);
            v->state.store(version_state::ready, std::memory_order_release);
            drop_producer(*v);
        }
    } catch (...) {
        finish();
        throw;
    }
}

bool claimed_work::collect(std::span<Version* const> targets, std::vector<Version*>& empty) {
    w = {};
    empty.clear();
    // Whatever happens, no version keeps its scratch number.
    struct scratch {
        work& w;
        std::vector<Version*>& empty;
        ~scratch() {
            for (Node* n : w.nodes) n->result->index = -1;
            for (Version* v : w.values) v->index = -1;
            for (Version* v : empty) v->index = -1;
        }
    } numbers{w, empty};

    std::vector<Version*> stack;
    std::size_t edges = 0;
    bool free = true;
    auto visit = [&](Version* v) {
        if (!v->producer || v->state != version_state::pending || v->index >= 0) return;
        free = free && claimable(*v->producer);
        if (v->numel == 0) {
            empty.push_back(v);
        } else {
            w.nodes.push_back(v->producer);
            stack.push_back(v);
            edges += v->producer->sources.size();
        }
        v->index = 0;
    };
    for (Version* t : targets) visit(t);
    while (!stack.empty() && free) {
        Version* v = stack.back();
        stack.pop_back();
        for (Edge& e : v->producer->sources)
            if (e.value) visit(e.value.get());
    }
    if (!free) return false;

    w.values.reserve(w.nodes.size() + edges);
    w.wanted.assign(w.nodes.size(), 0);
    w.kept.assign(w.nodes.size(), 0);
    std::sort(w.nodes.begin(), w.nodes.end(),
              [](const Node* a, const Node* b) { return a->sequence < b->sequence; });
    bool alone = false;
    {
        std::lock_guard lock(home_mutex());
        for (const Node* n : w.nodes)
            alone = alone || (n->result->owner && n->result->owner->address_known);
    }
    if (!enter_flush(alone)) return false;

    // From here on nothing throws.
    entered_ = true;
    for (Version* v : empty) {
        v->index = -1;
        claim(*v->producer);
    }
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
        claim(*w.nodes[i]);
        w.nodes[i]->result->index = static_cast<int32_t>(i);
        w.values.push_back(w.nodes[i]->result);
        w.kept[i] = w.wanted[i] = w.nodes[i]->marked;
    }
    for (Version* t : targets)
        if (t->index >= 0) w.wanted[static_cast<std::size_t>(t->index)] = 1;
    for (Node* n : w.nodes) {
        for (Edge& e : n->sources) {
            e.number = -1;
            if (!e.value) continue;
            if (e.value->index < 0) {
                e.value->index = static_cast<int32_t>(w.values.size());
                w.values.push_back(e.value.get());
            }
            e.number = e.value->index;
        }
        if (n->partial()) n->base.number = n->base.value->index;
    }
    return true;
}

void claimed_work::finish() noexcept {
    if (!entered_) return;
    entered_ = false;
    {
        std::lock_guard lock(graph_mutex());
        leave_flush();
        for (Node*& n : w.nodes) {
            if (!n) continue;
            unclaim(*n);
            n = n->result->state == version_state::pending ? nullptr
                                                           : take_producer(*n->result).release();
        }
    }
    for (Node* n : w.nodes) delete n;  // what only they read dies here
    w = {};
}

namespace {

template <class T>
void put(std::string& key, const T& value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof(T));  // NOLINT: a pointer by itself
}

void put(std::string& key, const geometry& g) {
    put(key, g.offset);
    put(key, g.ndim);
    const auto rank = static_cast<std::size_t>(g.ndim);
    // Sizes, then strides.
    key.append(reinterpret_cast<const char*>(g.sizes()), 2 * rank * sizeof(int64_t));
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
            key.push_back(static_cast<char>(e.dtype));
            put_shape(e.shape.get());
        }
    }
    for (std::size_t v = w.nodes.size(); v < w.values.size(); ++v)
        key.push_back(static_cast<char>(w.values[v]->dtype));
    return key;
}

}  // namespace sinter::plan
