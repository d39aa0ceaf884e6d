// Stores past the caches, for a result that is larger than what they hold: a plain store first
// reads the line that it fills, and pushes out others that are still needed.
#pragma once

#include "jit/launch/walk.hpp"

namespace sinter::runtime {

/// Whether a launch may, and should: its one output is dense, apart from all it reads, and large.
bool goes_past_caches(const space& s);

/// Runs elements [element, element + call.n0) of one row with the output past the caches. Other
/// threads see it after `fence_stores`.
void run_past_caches(const space& s, walker& w, kernel_ir::kernel_call& call, int64_t row,
                     int64_t element);

void fence_stores();

}  // namespace sinter::runtime
