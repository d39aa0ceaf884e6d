// What one stage of a row kernel has computed and a later one needs again: kept in memory, where
// computing it again is dearer.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::plan {

/// Lets stages keep element values with heavy rows in them (exp, log, ...) in outputs that already
/// hold them, or that only the last stage writes, in the same type. `n0`: elements of a row, which
/// must stay in the caches between two stages.
void keep_stage_values(kernel_ir::kernel& k, int64_t n0);

}  // namespace sinter::plan
