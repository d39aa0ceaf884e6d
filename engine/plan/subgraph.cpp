#include "engine/plan/subgraph.hpp"

#include "engine/graph/claim.hpp"
#include "engine/graph/gradient.hpp"
#include "engine/graph/infer.hpp"
#include "engine/graph/pending.hpp"
#include "runtime/device/gpu.hpp"

#include <algorithm>

namespace sinter::plan {

const runtime::gpu& subgraph::gpu() const { return absent ? *absent : runtime::gpu_at(device); }

void subgraph::find_offsets() {
    if (device != runtime::main_memory) return offsets.of_value.assign(values.size(), 0);
    constexpr int64_t unread = INT64_MIN, other_units = INT64_MIN + 1;
    offsets.of_value.assign(values.size(), unread);
    const auto note = [&](int value, ScalarType as, int64_t offset) {
        int64_t& first = offsets.of_value[static_cast<std::size_t>(value)];
        if (first == unread) first = offset;
        if (as != values[static_cast<std::size_t>(value)]->dtype || isComplexType(as))
            first = other_units;
    };
    for (const Node* n : nodes)
        for (const Edge& e : n->sources) {
            const int v = value_of(e);
            if (v >= 0 && !is_node(v)) note(v, e.dtype, e.shape->offset);
        }
    const Node* last = nodes.empty() ? nullptr : nodes.back();
    if (last && last->partial()) {
        const int base = last->base().number;
        if (base >= 0) note(base, last->dtype, last->shape->offset);
        offsets.of_value[nodes.size() - 1] = base >= 0                    ? offsets.of(base)
                                             : isComplexType(last->dtype) ? 0
                                                                          : last->shape->offset;
    }
    for (int64_t& o : offsets.of_value)
        if (o <= other_units) o = 0;
}

subgraph subgraph::alone(std::size_t node) const {
    Node& n = *nodes[node];
    subgraph w;
    w.nodes.push_back(&n);
    w.values.push_back(n.result);
    w.wanted.push_back(1);
    w.kept.push_back(0);
    w.saved.push_back(0);
    w.device = device;
    const auto number_of = [&w](Version* v) {
        const auto at = std::find(w.values.begin(), w.values.end(), v);
        return at == w.values.end() ? -1 : static_cast<int32_t>(at - w.values.begin());
    };
    for (Edge& e : n.sources) {
        e.number = -1;
        if (!e.value) continue;
        if (number_of(e.value.get()) < 0) w.values.push_back(e.value.get());
        e.number = number_of(e.value.get());
    }
    if (n.partial()) n.base().number = number_of(n.base().value.get());
    w.find_offsets();
    return w;
}

void subgraph::forget_dropped(std::span<Version* const> targets,
                              runtime::arena_vector<uint32_t>& reads) {
    const auto count = [&](const Edge& e) {
        if (is_node(e.number)) ++reads[static_cast<std::size_t>(e.number)];
    };
    // Readers first: one that is held and not computed into memory stays, and so do its reads.
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const Version* v = values[i];
        const bool held = v->references.load() > reads[i];
        if (kept[i] && !held) {
            kept[i] = 0;
            wanted[i] = std::find(targets.begin(), targets.end(), v) != targets.end();
        }
        if (held && !wanted[i]) continue;
        for (const Edge& e : nodes[i]->sources) count(e);
        if (nodes[i]->partial()) count(nodes[i]->base());
    }
}

claimed_work::claimed_work(std::span<Version* const> targets) {
    runtime::arena_vector<Version*> empty;
    {
        std::unique_lock lock(graph_mutex());
        while (!collect(targets, empty)) wait_for_claims(lock);
    }
    try {
        w.find_offsets();
        for (Version* v : empty) {
            v->buffer = runtime::make_buffer(0, v->device);
            v->state.store(version_state::ready, std::memory_order_release);
            drop_producer(*v);
        }
    } catch (...) {
        finish();
        throw;
    }
}

bool claimed_work::collect(std::span<Version* const> targets,
                           runtime::arena_vector<Version*>& empty) {
    if (!w.nodes.empty()) w = {};
    empty.clear();
    // Resets the scratch numbers of all versions on every exit.
    struct scratch {
        subgraph& w;
        runtime::arena_vector<Version*>& empty;
        ~scratch() {
            for (Node* n : w.nodes) n->result->index = -1;
            for (Version* v : w.values) v->index = -1;
            for (Version* v : empty) v->index = -1;
        }
    } numbers{w, empty};

    w.nodes.reserve(16);
    std::size_t edges = 0;
    bool some_marked = false;
    bool free = true, backwards = true;  // most programs are visited in reverse order
    uint64_t last = UINT64_MAX;
    const auto is_new = [](const Version* v) {
        return v->producer && v->index < 0 &&
               v->state.load(std::memory_order_relaxed) == version_state::pending;
    };
    auto visit = [&](Version* v) {
        Node* n = v->producer;
        free = free && claimable(*n);
        v->index = 0;
        if (v->numel == 0) return empty.push_back(v);
        w.nodes.push_back(n);
        edges += n->sources.size();
        some_marked = some_marked || (free && n->marked);  // else its flush may mark it just now
        backwards = backwards && n->sequence < last;
        last = n->sequence;
    };
    for (Version* t : targets)
        if (is_new(t)) visit(t);
    for (std::size_t i = 0; i < w.nodes.size() && free; ++i)
        for (Edge& e : w.nodes[i]->sources)
            if (e.value && is_new(e.value.get())) visit(e.value.get());
    if (!free) return false;

    if (!w.nodes.empty()) w.device = w.nodes[0]->device;
    w.values.reserve(w.nodes.size() + edges);
    w.wanted.assign(w.nodes.size(), 0);
    w.kept.assign(w.nodes.size(), 0);
    w.saved.assign(w.nodes.size(), 0);
    runtime::arena_vector<uint32_t> reads(some_marked ? w.nodes.size() : 0);
    if (backwards)
        std::reverse(w.nodes.begin(), w.nodes.end());
    else
        std::sort(w.nodes.begin(), w.nodes.end(),
                  [](const Node* a, const Node* b) { return a->sequence < b->sequence; });
    bool alone = false;
    {
        std::lock_guard lock(home_lock());
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
    if (gradients_are_used()) w.find_saved([](const Node& n) { return n.result->index < 0; });
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
        if (n->partial()) n->base().number = n->base().value->index;
    }
    if (some_marked) w.forget_dropped(targets, reads);
    return true;
}

/// Unclaims nodes and takes those that are done out of the graph; the others are null afterwards.
/// Under the graph mutex.
void claimed_work::take_out(std::size_t first, std::size_t last) noexcept {
    for (std::size_t i = first; i < last; ++i) {
        Node* n = w.nodes[i];
        if (!n) continue;
        unclaim(*n);           // in the order of the claims: a base's pin replaces read pins
        n->result->index = 0;  // counts the references by reads that end here
    }
    // Readers first. A pending node whose only readers end here is removed with them; removing
    // it later would take the mutex again.
    for (std::size_t i = last; i-- > first;) {
        Node*& n = w.nodes[i];
        if (!n) continue;
        Version& v = *n->result;
        const bool stays = v.state == version_state::pending &&
                           v.references.load() > static_cast<uint32_t>(v.index);
        v.index = -1;
        if (stays) {
            n = nullptr;
            continue;
        }
        for (Edge& e : n->sources)
            if (Version* r = e.value.get(); r && r->index >= 0) ++r->index;
        n = take_producer(v).release();
    }
}

void claimed_work::finish(std::size_t first, std::size_t last) noexcept {
    {
        std::lock_guard lock(graph_mutex());
        take_out(first, last);
    }
    for (std::size_t i = first; i < last; ++i) {
        delete w.nodes[i];  // may destroy versions that only it reads
        w.nodes[i] = nullptr;
    }
}

void claimed_work::finish() noexcept {
    if (!entered_) return;
    entered_ = false;
    {
        std::lock_guard lock(graph_mutex());
        leave_flush();
        take_out(0, w.nodes.size());
    }
    for (Node* n : w.nodes) delete n;  // may destroy versions that only they read
    w.nodes.clear();
    w.values.clear();
}

namespace {

/// Writes words without bounds checks: the caller passes the maximum number.
class key_writer {
public:
    explicit key_writer(std::size_t most)
        : words_(static_cast<uint64_t*>(runtime::arena::current().take(most * sizeof(uint64_t)))),
          end_(words_) {}

    plan_key written() const { return {words_, end_}; }
    void put(uint64_t word) { *end_++ = word; }
    void put(const void* p) { put(reinterpret_cast<uintptr_t>(p)); }
    /// Writes a word whose top bit is free for a flag, and the layout unless it equals the last
    /// one.
    void put(uint64_t word, const geometry& g, int64_t offset) {
        const bool again = last_ && offset == last_offset_ && (&g == last_ || same(g, *last_));
        put(word << 1 | (again ? 1 : 0));
        if (again) return;
        last_ = &g;
        last_offset_ = offset;
        put(static_cast<uint64_t>(offset));
        put(static_cast<uint64_t>(g.ndim));
        for (int i = 0; i < 2 * g.ndim; ++i) put(static_cast<uint64_t>(g.sizes()[i]));
    }

private:
    static bool same(const geometry& a, const geometry& b) {
        return a.ndim == b.ndim &&
               std::equal(a.sizes(), a.sizes() + 2 * a.ndim, b.sizes());  // and strides
    }
    uint64_t *words_, *end_;
    const geometry* last_ = nullptr;
    int64_t last_offset_ = 0;
};

std::size_t most_words(const subgraph& w) {
    const auto of = [](const geometry& g) { return 3 + 2 * static_cast<std::size_t>(g.ndim); };
    std::size_t words = 1 + w.values.size();
    for (const Node* n : w.nodes) {
        words += 4 + of(*n->shape);
        for (const Edge& e : n->sources) words += of(*e.shape);
    }
    return words;
}

}  // namespace

plan_key structure_key(const subgraph& w) {
    key_writer to(most_words(w));
    to.put(w.nodes.size() | static_cast<uint64_t>(w.eager) << 48 |
           static_cast<uint64_t>(static_cast<uint8_t>(w.device)) << 56);
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
        const Node& n = *w.nodes[i];
        to.put(static_cast<uint64_t>(n.kind) | static_cast<uint64_t>(n.dtype) << 8 |
                   static_cast<uint64_t>(w.wanted[i]) << 16 |
                   static_cast<uint64_t>(n.partial()) << 17 |
                   static_cast<uint64_t>(n.backward) << 18 |
                   static_cast<uint64_t>(w.saved[i]) << 19 |
                   static_cast<uint64_t>(n.sources.size()) << 24,
               *n.shape, n.shape->offset - w.offsets.of(static_cast<int>(i)));
        to.put(n.kind == node_kind::library ? static_cast<const void*>(n.library) : n.code);
        if (n.kind == node_kind::reduce) {
            to.put(static_cast<uint64_t>(n.reduction) | static_cast<uint64_t>(n.in) << 32);
            to.put(n.reduced);
        }
        for (const Edge& e : n.sources)
            to.put(static_cast<uint64_t>(static_cast<uint32_t>(subgraph::value_of(e))) |
                       static_cast<uint64_t>(e.dtype) << 32,
                   *e.shape, e.shape->offset - w.offsets.of(subgraph::value_of(e)));
        if (n.partial()) {
            to.put(static_cast<uint64_t>(static_cast<uint32_t>(subgraph::value_of(n.base()))) |
                   static_cast<uint64_t>(n.base().value->unwritten) << 32);
        }
    }
    for (std::size_t v = w.nodes.size(); v < w.values.size(); ++v)
        to.put(static_cast<uint64_t>(w.values[v]->dtype));
    return to.written();
}

}  // namespace sinter::plan
