// Memory for the outputs of a kernel, and their publication.
#pragma once

#include "engine/run/steps/plan_run.hpp"

namespace sinter::plan {

/// One buffer per output of the kernel; the two parts of a complex value share one.
using output_buffers = runtime::arena_vector<runtime::buffer_ptr>;

/// Returns the buffers of a kernel that runs by itself: new ones, or those of operands that die in
/// the step.
output_buffers place_outputs(plan_run& r, const kernel_step& k, const plan_step& s);

/// Returns the buffers of an epilogue: an output takes the product's memory if nothing else needs
/// it. Other operands are not donated, because an error would find them overwritten.
output_buffers place_epilogue(const plan_run& r, const kernel_step& k, const plan_step& s,
                              const runtime::buffer_ptr& product);

/// Returns a separate buffer to compute a result in; holds the base's bytes for a partial write.
runtime::buffer_ptr separate_buffer(const Version& v);

/// Makes the outputs of a kernel ready.
void publish_outputs(plan_run& r, const kernel_step& k, std::span<runtime::buffer_ptr> placed);

}  // namespace sinter::plan
