// Streaming stores, for a result that is larger than the caches. A plain store first reads the
// cache line that it fills, and evicts other lines that are still needed.
#pragma once

#include "jit/launch/walk.hpp"

namespace sinter::runtime {

/// Returns true if a launch can and should use streaming stores: its one output is dense, overlaps
/// no input, and is large.
bool goes_past_caches(const space& s);

/// Runs elements [element, element + call.n0) of one row with streaming stores to the output. Other
/// threads see them after `fence_stores`.
void run_past_caches(const space& s, walker& w, kernel_ir::kernel_call& call, int64_t row,
                     int64_t element);

void fence_stores();

}  // namespace sinter::runtime
