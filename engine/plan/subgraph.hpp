// The input of a plan: pending nodes in program order and the values between them.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/memory/arena.hpp"

#include <vector>

namespace sinter::runtime {
struct gpu;
}

namespace sinter::plan {

/// Where a subgraph reads its ready values: the offset of the first read of each. Structure and
/// plan hold the other offsets less that, so that `x.select(0, i)` has one plan for all i. 0 for
/// indices; for results of nodes, except that a partial write has the offset of its base; for
/// complex values and values that are read as another dtype, whose offsets count other units; and
/// on GPUs, whose plans depend on offsets.
struct read_offsets {
    runtime::arena_vector<int64_t> of_value;
    int64_t of(int value) const {
        return value < 0 ? 0 : of_value[static_cast<std::size_t>(value)];
    }
};

/// Values are numbered: the results of the nodes first, then the ready values that they read.
struct subgraph {
    runtime::arena_vector<Node*> nodes;      // in program order
    runtime::arena_vector<Version*> values;  // results of nodes, then ready ones
    runtime::arena_vector<uint8_t> wanted;   // per node: its value must be in memory afterwards
    runtime::arena_vector<uint8_t> kept;     // per node: wanted as an earlier flush fused it away
    runtime::arena_vector<uint8_t> saved;    // per node: gradients that are not in it will read it
    read_offsets offsets;                    // set last, by find_offsets
    runtime::device_index device = runtime::main_memory;  // device of all values
    /// The GPU that it is planned for, if that need not be here: `sinter cache build`.
    const runtime::gpu* absent = nullptr;
    bool eager = false;  // a single node; each of its operations gets a separate kernel

    /// Returns the number of the value that an edge reads; -1 for an index leaf.
    static int value_of(const Edge& e) { return e.number; }
    /// Returns the GPU of a subgraph that is not in main memory.
    const runtime::gpu& gpu() const;
    bool is_node(int value) const { return value >= 0 && value < static_cast<int>(nodes.size()); }

    /// Sets `offsets`. Edges are numbered.
    void find_offsets();

    /// Sets `saved`: what gradient nodes hold, unless a part of a backward pass is in the subgraph,
    /// since such a pass has let go of what it does not need again; and what pending gradients read
    /// that are not in it. `is_outside` tells of a pending node that reads one of the values.
    template <class F>
    void find_saved(const F& is_outside) {
        bool backward = false;
        for (const Node* n : nodes) backward = backward || n->backward;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            saved[i] = !backward && values[i]->saved.load(std::memory_order_relaxed) > 0;
            for (const Edge* e = values[i]->readers; e && !saved[i]; e = e->next)
                saved[i] = e->reader->backward && is_outside(*e->reader);
        }
    }
    /// What was fused away while something held it is not wanted any more if nothing does now: no
    /// tensor, and no node that stays pending behind this flush. `reads`: of each node, by nodes
    /// that are not in it and do not count.
    void forget_dropped(std::span<Version* const> targets, runtime::arena_vector<uint32_t>& reads);

    /// Returns a subgraph of one of the nodes. Renumbers the node's edges.
    subgraph alone(std::size_t node) const;
};

/// The pending nodes that `targets` need and the values that they read, in the thread's arena. The
/// nodes are claimed until this is destroyed. Targets and marked nodes are wanted. No node is a
/// partial write, except possibly the only target. Values without elements are made ready here.
class claimed_work {
public:
    /// Waits for flushes that run some of the nodes or read what these overwrite.
    explicit claimed_work(std::span<Version* const> targets);
    ~claimed_work() { finish(); }
    claimed_work(const claimed_work&) = delete;

    subgraph w;

    /// Ends the claims and removes the computed nodes from the graph.
    void finish() noexcept;
    /// Does so for a part of the nodes, of which nothing else that is claimed is a source. The
    /// others stay claimed.
    void finish(std::size_t first, std::size_t last) noexcept;

private:
    /// Under the graph mutex. Returns false, with nothing claimed, if it must wait for another
    /// flush.
    bool collect(std::span<Version* const> targets, runtime::arena_vector<Version*>& empty);
    void take_out(std::size_t first, std::size_t last) noexcept;
    bool entered_ = false;
};

/// Everything in a subgraph that planning reads, as words in the thread's arena: equal keys have
/// equal plans.
using plan_key = std::span<const uint64_t>;
plan_key structure_key(const subgraph& w);

}  // namespace sinter::plan
