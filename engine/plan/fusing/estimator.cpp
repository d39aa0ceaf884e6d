#include "engine/plan/fusing/estimator.hpp"

#include "engine/graph/infer.hpp"
#include "engine/plan/flat_rows.hpp"
#include "engine/plan/layout.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

#include <algorithm>
#include <bit>

namespace sinter::plan {
namespace {

constexpr int64_t flat_row = 1024;  // elements per call when short rows run as one
constexpr double light = 4e4;       // primitives: always cheaper than a separate kernel

bool is_strided(int64_t stride) { return stride != 0 && stride != 1; }

/// Returns true if a value is dense along the reduced range but one of its sources is not.
bool reads_apart(const cluster& c, const index_map& at,
                 const runtime::arena_vector<index_map>& sources) {
    const std::size_t k = last_reduced(c);
    return k < c.space.size() && at.stride(k) == 1 && c.space[k] >= few_elements &&
           std::any_of(
               sources.begin(), sources.end(),
               [k](const index_map& m) { return is_strided(m.stride(k)); });
}

/// Returns true if a map varies along the innermost loop.
bool by_lanes(const cluster& c, const index_map& m) {
    if (c.has_reduction()) return by_element(c, m);
    for (std::size_t k = c.run; k < c.space.size(); ++k)
        if (c.space[k] > 1 && m.stride(k) != 0) return true;
    return c.points == 1;
}

/// Returns true if an operation of the cluster reads with a stride along a dimension.
bool strides_along(const cluster& c, std::size_t k) {
    return std::any_of(c.instances.begin(), c.instances.end(), [k](const instance& i) {
        return std::any_of(i.sources.begin(), i.sources.end(),
                           [k](const index_map& m) { return is_strided(m.stride(k)); });
    });
}

/// Returns true if a map over rows of `length` elements, with additional sources `more`, will run
/// many rows as one (flat_rows.hpp).
bool will_be_flat(const cluster& c, double cost, double length,
                  const runtime::arena_vector<index_map>& more) {
    if (c.has_reduction() || length > flat_rows::longest || cost < flat_rows::price(length))
        return false;
    std::size_t inner = c.space.size();
    while (inner > 0 && c.space[inner - 1] == 1) --inner;
    if (inner == 0) return false;
    const auto lies_across = [k = inner - 1](const index_map& m) {
        return is_strided(m.stride(k));
    };
    return std::none_of(more.begin(), more.end(), lies_across) && !strides_along(c, inner - 1);
}

}  // namespace

estimator::estimator(const subgraph& w)
    : w_(w), reduced_from_(w.nodes.size(), 0), lead_(w.nodes.size()) {
    for (std::size_t i = 0; i < w_.nodes.size(); ++i) {
        const Node& n = *w_.nodes[i];
        int64_t most = n.kind == node_kind::reduce ? n.shape->numel : 0;
        for (const Edge& e : n.sources) {
            const int v = subgraph::value_of(e);
            if (w_.is_node(v)) most = std::max(most, reduced_from_[static_cast<std::size_t>(v)]);
        }
        reduced_from_[i] = most;
        lead_[i] = lead_up_to(n);
    }
}

estimator::lead estimator::lead_up_to(const Node& n) const {
    lead l;
    if (n.kind != node_kind::pointwise) return l;
    l.cost = static_cast<double>(n.code->cost);
    for (const Edge& e : n.sources) {
        l.flat = l.flat && e.shape->contiguous && e.shape->numel == n.shape->numel;
        const int v = subgraph::value_of(e);
        if (!w_.is_node(v) || node(v).kind != node_kind::pointwise) continue;
        const lead& from = lead_[static_cast<std::size_t>(v)];
        const auto whole = static_cast<double>(n.shape->numel);
        const auto part = static_cast<double>(node(v).shape->numel);
        // A producer that costs more than memory traffic may itself be materialised.
        const double stored = storing(part, elementSize(node(v).dtype));
        l.cost += std::min(from.cost, stored) * std::min(1.0, part / whole);
        l.flat = l.flat && from.flat;
    }
    return l;
}

verdict estimator::of_value(int v, const cluster& c, const use& u, int times,
                            const placement& p) const {
    const Node& n = node(v);
    const lead& l = lead_[static_cast<std::size_t>(v)];
    const bool gathers = c.has_reduction() && reads_apart(c, u.at, p.sources);
    if (c.points * (gathers ? l.cost + 10 : l.cost) < light) return verdict::fuse;
    const bool moves = by_lanes(c, u.at);
    const auto numel = static_cast<double>(n.shape->numel);
    if (!c.has_reduction() && times == 1 && moves && c.run == 0 && c.points <= numel)
        return verdict::fuse;  // costs the same as in a separate kernel
    inlined_value i;
    i.cost = l.cost;
    i.item = static_cast<int64_t>(elementSize(n.dtype));
    i.numel = n.shape->numel;
    i.flat = l.flat;
    i.behind_reduction = c.has_reduction() && reduced_from_[static_cast<std::size_t>(v)] > 0;
    double length = 1;  // of the merged innermost loops
    double rows = 1;
    int64_t dense_rows = 1;
    for (std::size_t k = 0; k < c.space.size(); ++k) {
        const bool inner = c.has_reduction() ? c.reduced[k] : k >= c.run;
        (inner ? length : rows) *= static_cast<double>(c.space[k]);
        if (!inner && u.at.stride(k) == 1) dense_rows = c.space[k];
    }
    i.along_rows = c.has_reduction() && !c.dense_elements && dense_rows > 1;
    i.side_by_side = i.along_rows ? dense_rows : static_cast<int64_t>(length);
    if (will_be_flat(c, c.cost + l.cost, length, p.sources)) i.side_by_side = flat_row;
    const int passes = p.kept ? 1 : std::popcount(u.levels);
    if (gathers) i.lost = gathering(c.points * passes);
    if (moves) {
        i.in_lanes = c.points * times * passes;
        i.in_reduction = c.has_reduction() && u.levels > 1;
    } else if (i.along_rows) {
        i.in_lanes = rows;
    } else {
        i.alone = rows;
    }
    i.elsewhere = computing(c.points * c.cost) + moving(c.points * static_cast<double>(i.item));
    return judge(i);
}

verdict estimator::of_loops(const Node& n, const cluster& c, const placement& p) const {
    if (c.points * c.cost < light || c.run >= c.space.size()) return verdict::fuse;
    cluster after;  // the loops after fusion
    after.space = c.space;
    after.run = c.run;
    for (const index_map& m : p.sources) note_read(after, m);
    if (after.run == c.run) return verdict::fuse;
    double length = 1;
    for (std::size_t k = after.run; k < c.space.size(); ++k)
        length *= static_cast<double>(c.space[k]);
    inlined_value i;
    i.cost = c.cost;
    i.item = static_cast<int64_t>(elementSize(n.dtype));
    i.numel = n.shape->numel;
    i.in_lanes = c.points;
    i.side_by_side =
        will_be_flat(c, c.cost, length, p.sources) ? flat_row : static_cast<int64_t>(length);
    i.flat = c.run == 0;
    i.elsewhere = moving(c.points * static_cast<double>(i.item));
    return judge(i);
}

/// Judges a map over many short rows, each after its reduction. A separate kernel would run the map
/// as one loop (jit/launch/flat_rows.hpp), but would read the operand again.
verdict estimator::behind_short_rows(const Node& n, const cluster& c, const placement& p) const {
    constexpr double shortest = 64;
    double length = 1;
    std::size_t inner = 0;
    for (std::size_t k = 0; k < c.space.size(); ++k) {
        if (c.space[k] == 1) continue;
        if (p.reduce_space[k]) length *= static_cast<double>(c.space[k]);
        inner = k;
    }
    bool across = !p.reduce_space[inner] || strides_along(c, inner);
    for (const output& o : c.outputs) across = across || o.at.stride(inner) != 1;
    if (length >= shortest || across) return verdict::fuse;
    // A row in registers has the operand at hand, and a few more operations cost nothing.
    constexpr double few = 16;
    const bool in_registers = length > few_elements && length <= kernel_ir::reduce_lanes;
    if (in_registers && c.cost < few) return verdict::fuse;
    inlined_value i;
    i.cost = c.cost;
    i.item = static_cast<int64_t>(elementSize(n.sources[0].dtype));
    i.numel = n.sources[0].shape->numel;
    i.in_lanes = c.points;
    // Vectors of 8-byte elements have fewer lanes.
    i.side_by_side = static_cast<int64_t>(length) * std::max<int64_t>(i.item, 4) / 4;
    i.flat = true;
    // A second plan materialises all unsure values, and the others matter more.
    i.measured = false;
    i.elsewhere = moving(c.points * static_cast<double>(i.item));
    return judge(i);
}

verdict estimator::with_reduction(const Node& n, const cluster& c, const placement& p) const {
    if (c.points * (c.cost + 10) < light) return verdict::fuse;
    const geometry& input = *n.sources[0].shape;
    bool dense = false;  // the source is dense along the reduced range
    for (int d = 0; d < input.ndim; ++d)
        dense = dense || ((n.reduced >> d & 1) && input.sizes()[d] > 1 && input.strides()[d] == 1);
    inlined_value i;
    i.cost = c.cost;
    if (!p.append.empty()) {
        if (!dense) return verdict::fuse;
        i.item = static_cast<int64_t>(elementSize(n.dtype));
        i.numel = n.shape->numel;
        i.alone = c.points;
        i.flat = true;
        i.elsewhere = moving(static_cast<double>(input.numel) *
                             static_cast<double>(elementSize(n.sources[0].dtype)));
        return judge(i);
    }
    const bool first = !c.has_reduction();
    if (first && p.reduce_space.empty()) return verdict::fuse;
    if (first && dense) return behind_short_rows(n, c, p);
    int64_t lanes = 1;
    bool apart = false;
    if (!first) {
        const std::size_t k = last_reduced(c);
        const int64_t stride = k < c.space.size() ? p.sources[0].stride(k) : 0;
        apart = stride != 0 && (stride == 1) != c.dense_elements && c.space[k] >= few_elements;
        if (!apart) return verdict::fuse;
        i.cost = 0;
    }
    for (std::size_t k = 0; first && k < c.space.size(); ++k) {
        if (!p.reduce_space[k]) {
            if (p.sources[0].stride(k) == 1) lanes = c.space[k];
            continue;
        }
        for (const instance& o : c.instances)
            for (const index_map& m : o.sources)
                apart = apart || (m.stride(k) == 1 && c.space[k] >= few_elements);
    }
    // The cost of a separate kernel: it reads the operand again.
    i.item = std::max<int64_t>(1, static_cast<int64_t>(elementSize(n.sources[0].dtype)) / 2);
    i.numel = input.numel;
    i.in_lanes = c.points;
    i.side_by_side = lanes;
    i.along_rows = i.in_reduction = true;
    i.behind_reduction = !apart;
    if (apart) i.lost = gathering(c.points);
    i.elsewhere = moving(c.points * static_cast<double>(i.item));
    return judge(i);
}

bool estimator::can_keep(const Node& n, const cluster& c, const use& u) const {
    constexpr double longest = 32768;
    if ((n.dtype != kFloat && n.dtype != kDouble) || std::popcount(u.levels) < 2) return false;
    double length = 1;
    for (std::size_t k = 0; k < c.space.size(); ++k)
        if (c.reduced[k]) length *= static_cast<double>(c.space[k]);
    if (length > longest) return false;
    const auto places = std::count_if(c.outputs.begin(), c.outputs.end(), [&](const output& o) {
        return by_element(c, o.at) && node(o.value).dtype == n.dtype;
    });
    return c.kept < places;
}

}  // namespace sinter::plan
