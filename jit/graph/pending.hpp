// The pending part of the graph: its size, its bounds, and taking nodes out of it.
#pragma once

#include "jit/graph/graph.hpp"
#include "runtime/stats.hpp"

namespace sinter::inline v1 {

/// Takes the producer away from a version whose value is known, and destroys it.
void drop_producer(Version& v);

int64_t pending_nodes();
/// Above this many pending nodes a new one is computed at once; SINTER_MAX_PENDING, default 131072.
int64_t max_pending_nodes();

}  // namespace sinter::inline v1
