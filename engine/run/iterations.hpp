// Finds the iterations of a loop among pending nodes. It stands before planning, because a plan
// takes microseconds for each operation and replaying one a tenth of that: a plan of a few
// iterations that runs again and again costs what it costs once.
#pragma once

#include "engine/plan/subgraph.hpp"

#include <functional>

namespace sinter::plan {

/// Returns true if a subgraph is so large that it may have parts.
bool may_be_loop(const subgraph& w);

/// Calls `use` with a subgraph, or, if it is a long loop, with its parts one after another: what
/// comes before the loop, the same number of iterations again and again, and the rest. Each part is
/// the nodes [first, last) of the whole, with their own numbers; what later parts read is wanted in
/// it.
void for_each_part(
    const subgraph& w,
    const std::function<void(subgraph& part, std::size_t first, std::size_t last)>& use);

}  // namespace sinter::plan
