// Runs a plan, or the alternative to it that was measured to be faster.
#pragma once

#include "engine/run/executable/executable.hpp"

namespace sinter::plan {

/// Runs a plan over the subgraph that it was made for, or one of the same structure. Values that
/// fail a guard become failed versions, and so do their readers. Other exceptions leave nodes that
/// have not run pending.
void execute(const executable& e, subgraph& w, executor how);

}  // namespace sinter::plan
