// The order of every reduction: a function of the reduced extent and nothing else, so that axis
// position, strides, fusion, threads and vector width cannot change a bit.
//
// Elements j = 0 .. n-1 of the flattened reduced range. Chunk c holds j in [c*C, (c+1)*C). In a
// chunk there are L lanes, each starting at the identity; lane l takes the elements with (j - c*C)
// mod L == l, rising. Lanes fold by halves: for h = L/2, ..., 1: lane[i] = combine(lane[i],
// lane[i+h]), i < h. Chunk states merge pairwise by index, the lower index on the left: chunk
// states are pushed on a stack; after chunk c, one merge of the two topmost for each trailing one
// bit of c; at the end the stack folds from the top, combine(lower, upper).
//
// moments: a chunk makes two passes, sum / n_c = mean_c in the order above, then the sum of
// (x - mean_c)^2 in the order above; chunks merge by Chan's formula (math/moments.hpp) in that
// tree.
#pragma once

#include <cstdint>

namespace sinter::kernel_ir {

inline constexpr int64_t reduce_lanes = 32;    // L
inline constexpr int64_t reduce_chunk = 4096;  // C
inline constexpr int64_t reduce_few = 256;     // elements of a row that are few (kernel_ir.hpp)

constexpr int64_t chunk_count(int64_t n) { return (n + reduce_chunk - 1) / reduce_chunk; }

}  // namespace sinter::kernel_ir
