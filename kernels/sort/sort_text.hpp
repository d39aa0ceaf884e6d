// The text of what sorts on a GPU, and its arguments.
#pragma once

#include "kernels/gpu/written.hpp"

namespace sinter::ordering {

/// The keys of order_key.hpp: `struct elements`, `key_at(elements, address)`, a KEY, and where one
/// belongs in sorted ones.
extern const char* const key_text;

/// What `struct elements` says of a dtype.
gpu_kernels::arguments key_arguments(ScalarType dtype, bool descending);
/// The key of NaN, 0 for a dtype without it.
uint64_t nan_key(ScalarType dtype);
/// Bytes of a KEY for elements of a dtype.
std::size_t key_bytes(ScalarType dtype);

/// sinter_sort_tiles and sinter_merge_runs, over KEY, INDEX and OPERANDS (2).
const gpu_kernels::written& sort_kernels();

/// Elements that a block sorts, and writes in a merge.
inline constexpr int64_t tile_elements = 2048;

}  // namespace sinter::ordering
