// The space of an indexing operation (space.hpp), for hand-written GPU kernels.
#pragma once

#include "kernels/gpu/written.hpp"
#include "kernels/index/space.hpp"

namespace sinter::index_kernels {

/// Kernel source of `struct space` and of `find(k, i, indexed, other)`, which gives the byte
/// offsets of element `i` in both operands. `find` returns false if an index is out of range;
/// k.outside then holds the first such element of each index. The source needs DIMS, INDICES, WRAPS
/// and INDEX.
extern const char* const space_text;

/// check_range for indices in GPU memory. Waits for them.
void check_range_on_gpu(const op_call& c, const layout& l, const geometry& indexed,
                        std::span<const op_input> indices);

gpu_kernels::meanings meanings_of(const loops& l, bool wraps);
/// Returns the fields of `struct space`. `outside` has one word per index, with all bits set.
gpu_kernels::arguments arguments_of(const loops& l, const void* outside);
/// Reads `outside` and throws if it holds an element.
void throw_outside_on_gpu(const op_call& c, runtime::gpu_stream& s, const layout& l,
                          const geometry& indexed, const loops& space, const void* outside);

}  // namespace sinter::index_kernels
