// Values that one stage of a row kernel computes and a later stage needs again: kept in memory if
// computing them again costs more.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::plan {

/// Lets stages keep element values that involve heavy rows (exp, log, ...) in outputs of the same
/// type that already hold them or that only the last stage writes. `n0`: elements per row; a row
/// must stay in the caches between two stages.
void keep_stage_values(kernel_ir::kernel& k, int64_t n0);

}  // namespace sinter::plan
