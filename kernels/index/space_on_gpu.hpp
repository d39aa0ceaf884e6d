// The space of an operation on indices (space.hpp) as written kernels see it.
#pragma once

#include "kernels/gpu/written.hpp"
#include "kernels/index/space.hpp"

namespace sinter::index_kernels {

/// `struct space`, and `find(k, i, indexed, other)`: the bytes from the beginning of both operands
/// to element `i`. False where an index is out of range; then k.outside has the first such element
/// of each index. Over DIMS, INDICES, WRAPS, INDEX.
extern const char* const space_text;

/// check_range of a GPU's indices. Waits for them.
void check_range_on_gpu(const op_call& c, const layout& l, const geometry& indexed,
                        std::span<const op_input> indices);

gpu_kernels::meanings meanings_of(const loops& l, bool wraps);
/// Fills `struct space`; `outside` has a word for each index, all bits set.
gpu_kernels::arguments arguments_of(const loops& l, const void* outside);
/// Throws for what `outside` has, which is read.
void throw_outside_on_gpu(const op_call& c, runtime::gpu_stream& s, const layout& l,
                          const geometry& indexed, const loops& space, const void* outside);

}  // namespace sinter::index_kernels
