// What one plan is made from: pending nodes in program order and the values between them.
#pragma once

#include "jit/graph/graph.hpp"

#include <string>
#include <vector>

namespace sinter::plan {

/// Values are numbered: the results of the nodes first, then the ready values that they read.
struct work {
    std::vector<Node*> nodes;      // in program order
    std::vector<Version*> values;  // results of nodes, then ready ones
    std::vector<uint8_t> wanted;   // per node: its value must be in memory afterwards
    std::vector<uint8_t> kept;     // per node: wanted because an earlier flush passed it

    /// The value that an edge reads; -1 for an index leaf.
    static int value_of(const Edge& e) { return e.value ? e.value->index : -1; }
    bool is_node(int value) const { return value >= 0 && value < static_cast<int>(nodes.size()); }
};

/// The pending nodes that `targets` need, and what they read. Nodes whose value is needed again are
/// wanted. No node is a partial write, except that one may be the only target.
work collect(std::span<Version* const> targets);

/// Everything of the work that planning reads, as bytes: equal keys have equal plans.
std::string structure_key(const work& w);

}  // namespace sinter::plan
