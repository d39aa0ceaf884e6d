// The pending part of the graph: its size, its bounds, and taking nodes out of it.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/report/stats.hpp"

#include <unordered_set>

namespace sinter::inline v1 {

/// Takes the producer away from a version whose value is known. The caller holds the graph mutex,
/// and destroys the node without it.
std::unique_ptr<Node> take_producer(Version& v);
void drop_producer(Version& v);

/// How many pending nodes are partial writes. Who has a value made after one, and asks for it,
/// counts that one, unless it has been computed.
int64_t partial_writes_pending();

/// Results of the pending nodes of GPUs: nothing else leads to them from outside. Under the graph
/// mutex.
const std::unordered_set<Version*>& pending_on_gpus();

/// Bounds on pending work, counted by the program's structure alone. A new node that meets one is
/// computed at once.
struct pending_limits {
    int64_t nodes;  // SINTER_MAX_PENDING, default 131072
    int64_t bytes;  // of known values that pending nodes read, each value once;
                    // SINTER_MAX_PENDING_MB, default a quarter of main memory
    int64_t depth;  // pending operations on one way: 65536
};
/// Read from the environment once; tests change it while nothing is pending.
pending_limits& pending_bounds();

}  // namespace sinter::inline v1
