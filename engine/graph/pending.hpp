// The pending part of the graph: its size, its limits, and removal of nodes.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/report/stats.hpp"

#include <unordered_set>

namespace sinter::inline v1 {

/// Detaches and returns the producer of a version whose value is known. The caller holds the graph
/// mutex, and destroys the node after releasing it.
std::unique_ptr<Node> take_producer(Version& v);
void drop_producer(Version& v);

/// Makes a version the newest one of a storage.
void make_newest(Storage& s, const intrusive_ptr<Version>& v);
/// Returns true if a new version of the storage may take other memory than the old one.
inline bool may_be_replaced(const Storage& s) {
    return !s.external && !s.read_only && !s.address_known;
}

/// Returns the number of pending partial writes. A caller that holds a value made after a partial
/// write sees that write counted, unless it has been computed.
int64_t partial_writes_pending();

/// Returns the results of the pending GPU nodes; there is no other list of them. Under the graph
/// mutex.
const std::unordered_set<Version*>& pending_on_gpus();

/// Limits on pending work, which depend only on the structure of the program. A new node that
/// reaches a limit is computed at once.
struct pending_limits {
    int64_t nodes;  // SINTER_MAX_PENDING, default 131072
    int64_t bytes;  // known values that pending nodes read, each counted once;
                    // SINTER_MAX_PENDING_MB, default a quarter of main memory
    int64_t depth;  // pending operations on one path: 65536
};
/// Returns the limits, read from the environment once. Tests change them while nothing is pending.
pending_limits& pending_bounds();

}  // namespace sinter::inline v1
