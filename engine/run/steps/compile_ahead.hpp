// The kernels of a GPU's plan are compiled before its first step, several at once.
#pragma once

#include "engine/run/steps/plan_run.hpp"

namespace sinter::plan {

/// Compiles the kernels that the run will launch and that no run of this plan has launched.
void compile_kernels_ahead(plan_run& r);

}  // namespace sinter::plan
