// The launch of a kernel: its operands' addresses, its scalars and its code.
#pragma once

#include "engine/run/steps/plan_run.hpp"
#include "jit/launch/launch.hpp"

#include <span>

namespace sinter::plan {

/// A launch request on the CPU and the arrays that it refers to.
struct prepared_launch {
    runtime::arena_vector<int64_t> strides;
    runtime::arena_vector<runtime::launch_operand> operands;
    runtime::arena_vector<uint64_t> scalars;
    runtime::launch_request request;
};

/// Fills a request with all but the code. `placed`: buffers of the kernel's outputs; null for an
/// output that gets its address piece by piece.
void prepare(const plan_run& r, const kernel_step& k, std::span<const runtime::buffer_ptr> placed,
             prepared_launch& l);

/// Finds the compiled code, interpreter or block kernel that runs a kernel on the CPU.
void find_code(plan_run& r, const kernel_step& k, runtime::launch_request& request);

/// Returns the buffer of a value: of an output that the kernel makes, the placed one.
runtime::buffer* buffer_of(const plan_run& r, int v, const kernel_step& k,
                           std::span<const runtime::buffer_ptr> placed);

/// Runs a kernel on the run's device. Returns its status bits.
uint64_t launch(plan_run& r, const kernel_step& k, std::span<const runtime::buffer_ptr> placed);

}  // namespace sinter::plan
