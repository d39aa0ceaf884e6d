// The kernel source of sorting on a GPU, and its arguments.
#pragma once

#include "kernels/gpu/written.hpp"

namespace sinter::ordering {

/// Kernel source for the keys of order_key.hpp: `struct elements`, `key_at(elements, address)`,
/// which returns a KEY, and binary searches in sorted keys.
extern const char* const key_text;

/// Returns the fields of `struct elements` for a dtype.
gpu_kernels::arguments key_arguments(ScalarType dtype, bool descending);
/// Returns the key of NaN, or 0 for a dtype without NaN.
uint64_t nan_key(ScalarType dtype);
/// Returns the number of bytes of a KEY for elements of a dtype.
std::size_t key_bytes(ScalarType dtype);

/// Returns the kernels sinter_sort_tiles and sinter_merge_runs. The source needs KEY, INDEX and
/// OPERANDS (2).
const gpu_kernels::written& sort_kernels();

/// The number of elements that a block sorts, or writes in a merge.
inline constexpr int64_t tile_elements = 2048;

}  // namespace sinter::ordering
