#include "engine/run/iterations.hpp"

#include "engine/run/plan_cache.hpp"

#include <algorithm>

namespace sinter::plan {
namespace {

/// Nodes of a part, about: so many that cutting kernels at its ends costs little.
constexpr std::size_t part_nodes = 256;
/// Below, planning everything at once takes about as long.
constexpr std::size_t fewest_parts = 4;
/// The longest iteration that is looked for.
constexpr std::size_t longest = 1024;

/// Returns a number that is the same for the same operation of two iterations.
uint64_t operation_of(const Node& n) {
    const void* what = n.kind == node_kind::library ? static_cast<const void*>(n.library) : n.code;
    uint64_t h = reinterpret_cast<uintptr_t>(what) + static_cast<uint64_t>(n.kind) * 31;
    h = h * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(n.shape->numel);
    h = h * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(n.dtype) * 16 + n.sources.size();
    if (n.kind == node_kind::reduce)
        h = h * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(n.reduction) + n.reduced;
    return h;
}

/// Nodes [first, end) of a subgraph repeat with this period, in nodes.
struct loop {
    std::size_t period = 0, first = 0, end = 0;
};

/// Returns the nodes of a part of a loop, whole iterations.
std::size_t part_of(const loop& l) { return (part_nodes + l.period - 1) / l.period * l.period; }

bool pays(const loop& l) { return l.end - l.first >= fewest_parts * part_of(l); }

/// Looks for a period around the middle of the nodes.
loop find_period(const runtime::arena_vector<uint64_t>& operations) {
    const std::size_t n = operations.size(), middle = n / 2;
    for (std::size_t p = 1; p <= std::min(longest, middle); ++p) {
        const auto repeats = [&](std::size_t i) { return operations[i] == operations[i - p]; };
        if (!repeats(middle)) continue;
        loop l{p, middle, middle};
        while (l.end < n && repeats(l.end)) ++l.end;
        while (l.first > p && repeats(l.first - 1)) --l.first;
        l.first -= p;
        if (pays(l)) return l;
    }
    return {};
}

/// Returns the last reader of each node's result; -1 if no node reads it.
runtime::arena_vector<int32_t> last_readers(const subgraph& w) {
    runtime::arena_vector<int32_t> last(w.nodes.size(), -1);
    for (std::size_t i = 0; i < w.nodes.size(); ++i)
        for (const Edge& e : w.nodes[i]->sources)
            if (w.is_node(subgraph::value_of(e)))
                last[static_cast<std::size_t>(subgraph::value_of(e))] = static_cast<int32_t>(i);
    return last;
}

/// Returns the first position in the loop, within one iteration, over which the fewest bytes go:
/// between two iterations only the state of the loop is stored.
std::size_t best_cut(const subgraph& w, const loop& l) {
    const runtime::arena_vector<int32_t> last = last_readers(w);
    // What begins to live at a position, less what ends there.
    runtime::arena_vector<int64_t> change(w.nodes.size() + 1, 0);
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
        if (last[i] < 0) continue;
        const auto bytes = static_cast<int64_t>(w.values[i]->nbytes());
        change[i + 1] += bytes;
        change[static_cast<std::size_t>(last[i]) + 1] -= bytes;
    }
    // The second iteration: the first one may read what only the nodes before the loop make.
    const std::size_t begin = l.first + l.period;
    int64_t live = 0, least = INT64_MAX;
    std::size_t best = begin;
    for (std::size_t i = 0; i < begin + l.period; ++i) {
        live += change[i];
        if (i < begin || live >= least) continue;
        least = live;
        best = i;
    }
    return best;
}

/// Returns the loop around the middle of a subgraph, from where the fewest bytes go from one
/// iteration to the next. The period is 0 if there is none that is worth several plans.
loop find_loop(const subgraph& w) {
    if (!may_be_loop(w)) return {};
    runtime::arena_vector<uint64_t> operations;
    operations.reserve(w.nodes.size());
    for (const Node* n : w.nodes) operations.push_back(operation_of(*n));
    loop l = find_period(operations);
    if (l.period > 0) l.first = best_cut(w, l);
    return l;
}

/// Returns the nodes of a part, or fewer, so that all kernels are full, given its plan.
std::size_t full_part_of(const loop& l, const plan& of_part) {
    const std::size_t nodes = part_of(l);
    const auto last = std::find_if(of_part.steps.rbegin(), of_part.steps.rend(),
                                   [](const plan_step& s) { return s.library < 0; });
    if (last == of_part.steps.rend()) return nodes;
    // Kernels are filled from the last node back: the last one is full, the first may be short.
    const std::vector<int>& computed = last->kernel->nodes;
    const int newest = *std::max_element(computed.begin(), computed.end());
    const auto iterations =
        static_cast<std::size_t>(std::count_if(computed.begin(), computed.end(), [&](int n) {
            return (newest - n) % static_cast<int>(l.period) == 0;
        }));
    const std::size_t short_of = nodes / l.period % std::max<std::size_t>(iterations, 1);
    return nodes - short_of * l.period;
}

/// Makes the parts of a subgraph, in order.
class part_maker {
public:
    explicit part_maker(const subgraph& whole)
        : whole_(whole), last_reader_(last_readers(whole)), number_(whole.values.size(), -1) {}

    /// Returns nodes [first, last). Renumbers their edges.
    subgraph make(std::size_t first, std::size_t last);
    /// Numbers the edges of the last part as they were in the whole.
    void take_back(const subgraph& part);

private:
    int32_t number_of(int32_t in_whole, subgraph& part);

    const subgraph& whole_;
    runtime::arena_vector<int32_t> last_reader_;  // of each node's result; -1: none
    runtime::arena_vector<int32_t> number_;       // of each value in the part; -1: not in it
    runtime::arena_vector<int32_t> in_whole_;     // of each value of the last part
};

int32_t part_maker::number_of(int32_t in_whole, subgraph& part) {
    int32_t& number = number_[static_cast<std::size_t>(in_whole)];
    if (number < 0) {
        number = static_cast<int32_t>(part.values.size());
        in_whole_.push_back(in_whole);
        part.values.push_back(whole_.values[static_cast<std::size_t>(in_whole)]);
    }
    return number;
}

subgraph part_maker::make(std::size_t first, std::size_t last) {
    in_whole_.clear();
    subgraph part;
    part.device = whole_.device;
    part.eager = whole_.eager;
    for (std::size_t i = first; i < last; ++i) {
        part.nodes.push_back(whole_.nodes[i]);
        number_of(static_cast<int32_t>(i), part);
        const bool read_later = last_reader_[i] >= static_cast<int32_t>(last);
        part.wanted.push_back(read_later || whole_.wanted[i]);
        part.kept.push_back(whole_.kept[i]);
        part.saved.push_back(whole_.saved[i]);
    }
    for (Node* n : part.nodes) {
        for (Edge& e : n->sources)
            if (e.value) e.number = number_of(e.number, part);
        if (n->partial() && n->base().number >= 0)
            n->base().number = number_of(n->base().number, part);
    }
    for (const int32_t v : in_whole_) number_[static_cast<std::size_t>(v)] = -1;
    part.find_offsets();
    return part;
}

void part_maker::take_back(const subgraph& part) {
    const auto put_back = [this](Edge& e) {
        if (e.number >= 0) e.number = in_whole_[static_cast<std::size_t>(e.number)];
    };
    for (Node* n : part.nodes) {
        for (Edge& e : n->sources)
            if (e.value) put_back(e);
        if (n->partial()) put_back(n->base());
    }
}

}  // namespace

bool may_be_loop(const subgraph& w) { return w.nodes.size() >= fewest_parts * part_nodes; }

void for_each_part(
    const subgraph& w,
    const std::function<void(subgraph& part, std::size_t first, std::size_t last)>& use) {
    part_maker parts(w);
    std::size_t done = 0;
    const auto use_until = [&](std::size_t last) {
        if (done == last) return;
        subgraph part = parts.make(done, last);
        use(part, done, last);
        done = last;
    };
    if (const loop l = find_loop(w); l.period > 0) {
        use_until(l.first);
        const subgraph part = parts.make(done, done + part_of(l));
        const std::size_t nodes = full_part_of(l, find_or_build(part).e->data);
        parts.take_back(part);
        while (done + nodes <= l.end) use_until(done + nodes);
    }
    use_until(w.nodes.size());
}

}  // namespace sinter::plan
