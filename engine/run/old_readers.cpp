#include "engine/run/old_readers.hpp"

namespace sinter {
namespace {

// The index of a version, while `indices` lives.
constexpr int32_t own = 0;    // the plan of the write computes it
constexpr int32_t found = 1;  // to be computed before

class indices {
public:
    indices(const Node& write, const graph_state& state) : state_(state) {
        visit(*write.result);
        for (std::size_t i = 0; i < all_.size(); ++i)
            for (const Edge& e : all_[i]->producer->sources)
                if (e.value) visit(*e.value);
    }
    ~indices() {
        for (Version* v : all_) v->index = -1;
    }
    indices(const indices&) = delete;

    void set(Version& v, int32_t index) {
        all_.push_back(&v);
        v.index = index;
    }

private:
    void visit(Version& v) {
        if (state_.waits(v) && v.index != own) set(v, own);
    }
    const graph_state& state_;
    runtime::arena_vector<Version*> all_;
};

/// Returns true if something beside the write's own plan reads the value.
bool read_elsewhere(const Version& v, const graph_state& state) {
    if (has_owner(v)) return true;
    for (const Edge* e = v.readers; e; e = e->next)
        if (const Version& by = *e->reader->result; by.index != own && state.waits(by)) return true;
    return false;
}

/// Returns the only node that waits to read a value, if nothing else holds that, or null.
Node* only_reader(const Version& v, const graph_state& state) {
    if (has_owner(v)) return nullptr;
    Node* only = nullptr;
    for (const Edge* e = v.readers; e; e = e->next) {
        if (!state.waits(*e->reader->result) || e->reader == only) continue;
        if (only) return nullptr;
        only = e->reader;
    }
    return only;
}

/// Returns the last of the nodes behind `n` that were recorded before the write, each the only
/// reader of the one before it. Nobody else needs `n` itself, and it may be large.
Node& end_of_chain(Node& n, const Node& write, const graph_state& state) {
    constexpr int longest = 64;
    Node* last = &n;
    for (int i = 0; i < longest; ++i) {
        Node* next = only_reader(*last->result, state);
        if (!next || next->claimed || next->sequence > write.sequence || next->partial()) break;
        last = next;
    }
    return *last;
}

}  // namespace

runtime::arena_vector<intrusive_ptr<Version>> old_readers(Version& v, graph_state& state) {
    runtime::arena_vector<intrusive_ptr<Version>> readers;
    std::lock_guard lock(graph_mutex());
    if (!state.waits(v)) return readers;
    const Node& write = *v.producer;
    const Version& base = *write.base().value;
    const bool only_write = !base.readers->next;  // nearly always
    if (only_write) return readers;
    indices known(write, state);
    std::size_t bytes = 0;
    for (const Edge* e = base.readers; e; e = e->next) {
        Node& reader = *e->reader;
        if (reader.claimed || reader.sequence >= write.sequence || !state.waits(*reader.result))
            continue;
        if (reader.result->index == own) {
            if (read_elsewhere(*reader.result, state)) state.keep(reader);
            continue;
        }
        Version& last = *end_of_chain(reader, write, state).result;
        if (last.index == found) continue;
        auto result = try_share(&last);
        if (!result) continue;
        known.set(last, found);
        bytes += last.nbytes();
        readers.push_back(std::move(result));
    }
    if (bytes > base.nbytes()) readers.clear();
    return readers;
}

}  // namespace sinter
