// Builds a kernel from a cluster: the IR of its operations, and the bindings of operands and
// scalars.
#pragma once

#include "engine/plan/plan.hpp"

namespace sinter::plan {

/// Appends the steps of a cluster to the plan: one kernel, and copies before or after it for
/// operands whose reduced dimensions do not merge into one.
void build_kernel(const subgraph& w, const cluster& c, plan& p);

/// Appends the steps of one pointwise node for a GPU in eager mode: one kernel per operation, in
/// program order.
void build_operations(const subgraph& w, const cluster& c, plan& p);

}  // namespace sinter::plan
