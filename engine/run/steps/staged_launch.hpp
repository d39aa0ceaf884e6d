// A kernel of a GPU's plan, run by the CPU: where its code is stored nowhere and nothing compiles.
#pragma once

#include "engine/run/steps/kernel_launch.hpp"

namespace sinter::plan {

/// Copies the kernel's operands to main memory, runs it block by block, and copies its outputs
/// back. Returns its status bits. `prepared`: with the addresses on the GPU.
uint64_t launch_staged(plan_run& r, const kernel_step& k,
                       std::span<const runtime::buffer_ptr> placed,
                       const prepared_launch& prepared);

}  // namespace sinter::plan
