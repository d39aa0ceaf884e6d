// From a cluster to a kernel: the IR of its operations, and where its operands and scalars are.
#pragma once

#include "engine/plan/plan.hpp"

namespace sinter::plan {

/// Appends the steps of a cluster to the plan: one kernel and, where reduced ranges of an operand
/// do not merge into one, copies before or after it.
void build_kernel(const subgraph& w, const cluster& c, plan& p);

/// The same of one pointwise node for a GPU in eager mode: a kernel for each operation, in the
/// order in which the statement has them.
void build_operations(const subgraph& w, const cluster& c, plan& p);

}  // namespace sinter::plan
