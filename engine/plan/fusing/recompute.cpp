#include "engine/plan/fusing/recompute.hpp"

#include "engine/graph/infer.hpp"
#include "engine/plan/fusing/cost_model.hpp"
#include "engine/plan/layout.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sinter::plan {
namespace {

/// The pointwise nodes that compute a value from what is in memory.
struct region {
    double cost = 0;  // primitives for each element
    struct operand {
        int value;
        double bytes;
    };
    runtime::arena_vector<operand> operands;  // what they read from memory
};

constexpr double dearest = 256;  // primitives: more than any number of reads saves
constexpr std::size_t most_operands = 16;

bool is_in_memory(const subgraph& w, int value, const std::vector<uint8_t>& wanted) {
    return !w.is_node(value) || wanted[static_cast<std::size_t>(value)] ||
           w.nodes[static_cast<std::size_t>(value)]->kind != node_kind::pointwise;
}

double bytes_of(const Edge& e) {
    const int64_t read = std::min(e.shape->numel, e.value->numel);  // of an expanded value
    return static_cast<double>(read) * static_cast<double>(elementSize(e.dtype));
}

/// Returns false if the region is too large to be computed again. `has(value)`: it is there
/// already, where `v` would be computed.
template <class Has>
bool find_region(const subgraph& w, int v, const std::vector<uint8_t>& wanted, const Has& has,
                 region& found) {
    runtime::arena_vector<int> open{v}, seen{v};
    const auto whole = static_cast<double>(
        std::max<int64_t>(w.nodes[static_cast<std::size_t>(v)]->shape->numel, 1));
    while (!open.empty()) {
        const Node& n = *w.nodes[static_cast<std::size_t>(open.back())];
        open.pop_back();
        const double share = static_cast<double>(n.shape->numel) / whole;
        found.cost += static_cast<double>(n.code->cost) * std::min(share, 1.0);
        if (found.cost > dearest) return false;
        for (const Edge& e : n.sources) {
            const int source = subgraph::value_of(e);
            if (source < 0 || std::find(seen.begin(), seen.end(), source) != seen.end()) continue;
            seen.push_back(source);
            if (has(source)) continue;
            if (!is_in_memory(w, source, wanted)) {
                open.push_back(source);
                continue;
            }
            found.operands.push_back({source, bytes_of(e)});
            if (found.operands.size() > most_operands) return false;
        }
    }
    return true;
}

/// Returns how many times a cluster would compute the value.
double times_computed(const cluster& c, const use& u) {
    if (!c.has_reduction() || by_element(c, u.at)) return c.points * std::popcount(u.levels);
    double rows = 1;
    for (std::size_t k = 0; k < c.space.size(); ++k)
        if (!c.reduced[k]) rows *= static_cast<double>(c.space[k]);
    return rows;
}

bool reads_already(const reads_so_far& reads, int cluster, int value) {
    if (value < static_cast<int>(reads.uses.size())) {
        const std::vector<use>& uses = reads.uses[static_cast<std::size_t>(value)];
        if (std::any_of(uses.begin(), uses.end(),
                        [cluster](const use& u) { return u.cluster == cluster; }))
            return true;
    }
    const auto& keys = reads.clusters[static_cast<std::size_t>(cluster)].read_keys;
    return std::any_of(keys.begin(), keys.end(), [value](const key_text& key) {
        return std::memcmp(key.data(), &value, sizeof value) == 0;
    });
}

}  // namespace

bool computed_again(const subgraph& w, int v, bool joins, const reads_so_far& reads) {
    const Node& n = *w.nodes[static_cast<std::size_t>(v)];
    if (n.kind != node_kind::pointwise) return false;
    if (n.code->operations <= 2 && n.sources.empty()) return true;
    const std::vector<use>& uses = reads.uses[static_cast<std::size_t>(v)];
    int first = -1;  // the cluster that runs first would store the value
    for (const use& u : uses) first = std::max(first, u.cluster);
    const auto item = static_cast<double>(elementSize(n.dtype));
    const double bytes = static_cast<double>(n.shape->numel) * item;
    double again = 0, stored = moving(bytes) + (joins ? 0 : launching());
    runtime::arena_vector<int> counted;
    for (const use& u : uses) {
        if (u.cluster == first) continue;
        // What the cluster reads of the way to the value it has, stored or computed again: of a
        // chain and its gradient, which reads each value of the chain, one link is computed again.
        const auto has = [&](int source) { return reads_already(reads, u.cluster, source); };
        region from;
        if (!find_region(w, v, reads.wanted, has, from)) return false;
        const cluster& c = reads.clusters[static_cast<std::size_t>(u.cluster)];
        again += computing(from.cost * times_computed(c, u));
        if (std::find(counted.begin(), counted.end(), u.cluster) != counted.end()) continue;
        counted.push_back(u.cluster);
        stored += moving(bytes);
        for (const region::operand& o : from.operands) again += moving(o.bytes);
    }
    return again < stored;
}

namespace {

/// Returns true if the elements of a row, which the reduction reduces, are one range of the
/// operand.
bool is_range_along_rows(const geometry& g, const Node& reduction) {
    if (g.sizes_ref() != reduction.sources[0].shape->sizes_ref()) return false;
    return is_one_range(
        static_cast<std::size_t>(g.ndim),
        [&](std::size_t d) { return (reduction.reduced >> d & 1) != 0; },
        [&](std::size_t d) { return g.sizes()[d]; }, [&](std::size_t d) { return g.strides()[d]; });
}

}  // namespace

double shared_time(const subgraph& w, int v, int cluster, const reads_so_far& reads) {
    const Node& reduction = *w.nodes[static_cast<std::size_t>(v)];
    const Edge& from = reduction.sources[0];
    const int64_t rows = reduction.shape->numel;
    enum : uint8_t { reached = 1, shared = 2 };
    runtime::arena_vector<uint8_t> marks(w.values.size());
    double time = 0;
    const auto reach = [&](const Edge& e, bool by_shared) {
        const geometry& g = *e.shape;
        const bool whole = g.numel == from.shape->numel && g.contiguous && g.offset == 0;
        if (!whole && g.numel != 1) return rows > 1 && is_range_along_rows(g, reduction);
        const int source = subgraph::value_of(e);
        if (source < 0) return true;
        uint8_t& mark = marks[static_cast<std::size_t>(source)];
        const bool is_shared = by_shared || reads_already(reads, cluster, source);
        if (is_shared && mark < shared && is_in_memory(w, source, reads.wanted))
            time += moving(bytes_of(e));
        mark |= is_shared ? shared | reached : reached;
        return true;
    };
    if (!reach(from, false)) return 0;
    // A gradient computes on its way what the statement computes that it is the gradient of.
    const auto& instances = reads.clusters[static_cast<std::size_t>(cluster)].instances;
    const bool gradient = std::any_of(instances.begin(), instances.end(), [&w](const instance& i) {
        return w.nodes[static_cast<std::size_t>(i.node)]->backward;
    });
    const auto is_read = [&](const Edge& e) {
        const int source = subgraph::value_of(e);
        return source < 0 || reads_already(reads, cluster, source);
    };
    for (int i = v; i-- > 0;) {
        uint8_t& mark = marks[static_cast<std::size_t>(i)];
        if (!mark || is_in_memory(w, i, reads.wanted)) continue;
        const Node& n = *w.nodes[static_cast<std::size_t>(i)];
        if (gradient && std::all_of(n.sources.begin(), n.sources.end(), is_read)) mark |= shared;
        if (mark & shared)
            time +=
                computing(static_cast<double>(n.code->cost) * static_cast<double>(n.shape->numel));
        for (const Edge& e : n.sources)
            if (!reach(e, mark & shared)) return 0;
    }
    return time;
}

void want_saved(const subgraph& w, std::vector<uint8_t>& wanted) {
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
        const Node& n = *w.nodes[i];
        if (!w.saved[i] || wanted[i] || n.kind == node_kind::library) continue;
        if (n.kind == node_kind::reduce) {
            wanted[i] = 1;
            continue;
        }
        region from;
        const auto none = [](int) { return false; };
        const bool small = find_region(w, static_cast<int>(i), wanted, none, from);
        const auto numel = static_cast<double>(n.shape->numel);
        double again = computing(from.cost * numel);
        for (const region::operand& o : from.operands) again += moving(o.bytes);
        // Written now, read then.
        const double stored = 2 * moving(numel * static_cast<double>(elementSize(n.dtype)));
        wanted[i] = !small || again > stored;
    }
}

}  // namespace sinter::plan
