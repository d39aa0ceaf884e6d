// Partial writes: whether the kernel that computes the new elements can write them into the storage
// while it reads the old ones. Stands behind fuse, since only then is it known what the kernel
// reads.
#pragma once

#include "engine/plan/cluster.hpp"

namespace sinter::plan {

/// Returns the value that the partial write at the end of the subgraph stores, if the kernel that
/// computes and stores it would first have to copy the whole storage: because it reads elements
/// that it overwrites elsewhere, or because it may fail halfway. Returns -1 if it would not. Stored
/// first and then copied to its place, the value takes only memory of its own size.
int stored_before_write(const subgraph& w, const fused& f);

/// Returns true for a row that fails for some values, so that its kernel must not write in place.
bool may_fail(op::id id, ScalarType in);
/// Returns the name of a node's first row that may fail, or null.
const char* row_that_may_fail(const Node& n);

}  // namespace sinter::plan
