// What one plan is made from: pending nodes in program order and the values between them.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/memory/arena.hpp"

#include <vector>

namespace sinter::plan {

/// Values are numbered: the results of the nodes first, then the ready values that they read.
struct subgraph {
    runtime::arena_vector<Node*> nodes;      // in program order
    runtime::arena_vector<Version*> values;  // results of nodes, then ready ones
    runtime::arena_vector<uint8_t> wanted;   // per node: its value must be in memory afterwards
    runtime::arena_vector<uint8_t> kept;     // per node: wanted because an earlier flush passed it
    runtime::device_index place = runtime::main_memory;  // of all values
    bool eager = false;  // one node, of which each operation gets a kernel of its own

    /// The value that an edge reads; -1 for an index leaf.
    static int value_of(const Edge& e) { return e.number; }
    bool is_node(int value) const { return value >= 0 && value < static_cast<int>(nodes.size()); }

    /// One of the nodes as an eager work of its own. Numbers the node's edges for that.
    subgraph alone(std::size_t node) const;
};

/// The pending nodes that `targets` need and what they read, claimed for this flush until it is
/// destroyed, in the thread's arena. Nodes whose value is needed again are wanted. No node is a
/// partial write, except that one may be the only target. Values without elements need no kernel:
/// they are made ready here.
class claimed_work {
public:
    /// Waits for flushes that run some of the nodes, or that read what these write over.
    explicit claimed_work(std::span<Version* const> targets);
    ~claimed_work() { finish(); }
    claimed_work(const claimed_work&) = delete;

    subgraph w;

    /// Ends the claims; what was computed leaves the graph.
    void finish() noexcept;

private:
    /// Under the graph mutex. False, with nothing claimed, if another flush stands in the way.
    bool collect(std::span<Version* const> targets, runtime::arena_vector<Version*>& empty);
    bool entered_ = false;
};

/// Everything of the work that planning reads, in words of the thread's arena: equal keys have
/// equal plans.
using plan_key = std::span<const uint64_t>;
plan_key structure_key(const subgraph& w);

}  // namespace sinter::plan
