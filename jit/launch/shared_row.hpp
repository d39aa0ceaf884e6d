// Reductions with few long rows: several threads share one row, stage by stage, as
// jit/kernel_ir/call.hpp describes.
#pragma once

#include "jit/launch/walk.hpp"

#include <cstdint>

namespace sinter::runtime {

/// Returns true if rows can be shared by `threads` threads and sharing is faster than one thread
/// per row.
bool shares_rows(const space& s, int threads);

/// Runs every row; `grain` is in elements. Returns the status bits.
uint64_t run_shared_rows(const space& s, int64_t grain);

}  // namespace sinter::runtime
