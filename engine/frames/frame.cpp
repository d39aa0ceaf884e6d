#include "engine/frames/frame.hpp"

#include "engine/graph/claim.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace sinter::frames {
namespace {

std::unique_ptr<Node> node_of(const recorded_node& r) {
    std::unique_ptr<Node> n = Node::bare(r.sources.size(), r.scalars.size(), r.partial);
    for (std::size_t i = 0; i < r.sources.size(); ++i)
        ::new (&n->sources[i])
            Edge{.value = {}, .shape = r.sources[i].shape, .dtype = r.sources[i].dtype};
    if (r.partial) ::new (&n->base()) Edge;
    std::copy(r.scalars.begin(), r.scalars.end(), n->scalars.begin());
    n->kind = r.kind;
    n->dtype = r.dtype;
    n->shape = r.shape;
    n->backward = r.backward;
    n->plain = r.plain;
    switch (r.kind) {
        case node_kind::pointwise: n->code = r.code; break;
        case node_kind::reduce:
            n->reduced = r.reduced;
            n->correction = r.correction;
            n->reduction = r.reduction;
            n->in = r.in;
            break;
        case node_kind::library:
            n->library = r.library;
            n->attributes = attributes_ptr(r.attributes).detach();
    }
    return n;
}

}  // namespace

frame::frame(const recording& r) {
    for (const recorded_node& n : r.nodes) {
        nodes_.push_back(node_of(n));
        nodes_.back()->device = r.device;
    }
}

void frame::bind(const recording& r, std::span<const intrusive_ptr<Version>> leaves,
                 std::span<const intrusive_ptr<Version>> results, const taken_places& places) {
    runtime::arena_vector<intrusive_ptr<Version>> made;
    values_.clear();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const recorded_node& from = r.nodes[i];
        intrusive_ptr<Version> v = results[i];
        if (!v) v = new_version(from.stored, from.numel, r.device);
        v->producer = nodes_[i].get();
        nodes_[i]->result = v.get();
        values_.push_back(v.get());
        made.push_back(std::move(v));
        if (from.draw < 0) continue;
        const taken_places::place at = places.of(from.draw);
        nodes_[i]->scalars[0] = static_cast<int64_t>(at.seed);
        nodes_[i]->scalars[1] = static_cast<int64_t>(at.first);
    }
    for (const auto& v : leaves) values_.push_back(v.get());
    const auto value = [this](int number) {
        return number < 0 ? intrusive_ptr<Version>()
                          : share(values_[static_cast<std::size_t>(number)]);
    };
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        for (std::size_t s = 0; s < nodes_[i]->sources.size(); ++s)
            nodes_[i]->sources[s].value = value(r.nodes[i].sources[s].value);
        if (r.nodes[i].partial) nodes_[i]->base().value = value(r.nodes[i].base);
    }
}

plan::subgraph frame::work_of(const recording& r, const recorded_part& p) {
    plan::subgraph w;
    w.device = r.device;
    for (const int v : p.values) w.values.push_back(values_[static_cast<std::size_t>(v)]);
    w.wanted.assign(p.wanted.begin(), p.wanted.end());
    w.saved.assign(p.nodes.size(), 0);
    w.kept.assign(p.nodes.size(), 0);
    for (std::size_t i = 0; i < p.nodes.size(); ++i) {
        Node& n = *nodes_[static_cast<std::size_t>(p.nodes[i])];
        w.nodes.push_back(&n);
        for (std::size_t s = 0; s < n.sources.size(); ++s) n.sources[s].number = p.reads[i][s];
        if (n.partial()) n.base().number = p.bases[i];
    }
    w.find_offsets();
    return w;
}

void frame::release(const recorded_part& p) noexcept {
    const auto node = [this](int i) -> Node& { return *nodes_[static_cast<std::size_t>(i)]; };
    for (const int i : p.nodes) {
        Node& n = node(i);
        if (n.result && n.result->producer) n.result->producer = nullptr;
        n.result = nullptr;
        n.gradient = nullptr;
        n.marked = false;
    }
    for (const int i : p.nodes) {  // may destroy the results
        for (Edge& e : node(i).sources) e.value.reset();
        if (node(i).partial()) node(i).base().value.reset();
    }
}

bool frame_claims::claim_all(const recorded_part& p) const {
    for (const int i : p.nodes) node(i).claimed = false;
    const bool free =
        std::all_of(p.nodes.begin(), p.nodes.end(), [this](int i) { return claimable(node(i)); });
    for (const int i : p.nodes) {
        if (free)
            claim(node(i));
        else
            node(i).claimed = true;
    }
    return free;
}

frame_claims::frame_claims(const frame& of, const recorded_part& first,
                           const std::function<void()>& begin, std::function<void()> end)
    : of_(of), end_(std::move(end)) {
    std::unique_lock lock(graph_mutex());
    // A flush that waits holds nothing yet: the nodes are in no graph before `begin`.
    const auto may_begin = [&] {
        return may_enter_flush() && claim_all(first) && enter_flush(false);
    };
    while (!may_begin()) wait_for_claims(lock);
    for (const auto& n : of_.nodes()) n->claimed = true;
    begin();
}

void frame_claims::move_on(const recorded_part& before, const recorded_part& next) {
    std::unique_lock lock(graph_mutex());
    for (const int i : before.nodes) {
        unclaim(node(i));
        node(i).result->producer = nullptr;
    }
    notify_of_claims();
    while (!claim_all(next)) wait_for_claims(lock);
}

frame_claims::~frame_claims() {
    const std::lock_guard lock(graph_mutex());
    leave_flush();
    for (const auto& n : of_.nodes()) {
        unclaim(*n);
        if (n->result) n->result->producer = nullptr;
    }
    end_();
}

}  // namespace sinter::frames
