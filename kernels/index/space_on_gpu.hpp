// The space of an indexing operation (space.hpp), for hand-written GPU kernels.
#pragma once

#include "kernels/gpu/kernel_source.hpp"
#include "kernels/index/space.cuh"
#include "kernels/index/space.hpp"

namespace sinter::index_kernels {

using space_arguments = on_gpu::space<on_gpu::any_length, on_gpu::any_length>;

/// check_range for indices in GPU memory. Waits for them.
void check_range_on_gpu(const op_call& c, const layout& l, const geometry& indexed,
                        std::span<const op_input> indices);

/// Returns the macro definitions for space.cuh.
gpu_kernels::macro_definitions macros_of(const loops& l, bool wraps);
/// Returns the space as a kernel argument. `outside` has one word per index, with all bits set.
space_arguments arguments_of(const loops& l, uint64_t* outside);
/// Reads `outside` and throws if it holds an element.
void throw_outside_on_gpu(const op_call& c, runtime::gpu_stream& s, const layout& l,
                          const geometry& indexed, const loops& space, const void* outside);

}  // namespace sinter::index_kernels
