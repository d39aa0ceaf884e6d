// Which work of a gradient runs last, although other work was recorded after it.
//
// Kernels are built from the last work backwards, and a kernel computes what its readers need. What
// several kernels need is computed by the one that runs first. So sums of what is known of rows
// should not be the first: the kernel of the rows' elements can compute that for them.
#pragma once

#include "engine/plan/subgraph.hpp"

#include <cstdint>
#include <vector>

namespace sinter::plan {

/// Returns the nodes that run last: totals of rows' values, as a mean loss; what is made of these
/// totals alone; and sums over the rows that nothing reads, as the gradients of a layer norm's
/// weights.
std::vector<uint8_t> runs_last(const subgraph& w);

}  // namespace sinter::plan
