// The order of every reduction. It is a function of the reduced extent only, so axis position,
// strides, fusion, threads and vector width cannot change a bit.
//
// The elements of the flattened reduced range are j = 0 .. n-1. Chunk c holds j in [c*C, (c+1)*C).
// A chunk has L lanes, each starting at the identity. Lane l takes the elements with (j - c*C) mod
// L == l, in rising order. Lanes fold by halves: for h = L/2, ..., 1: lane[i] = combine(lane[i],
// lane[i+h]), i < h. Chunk states merge pairwise by index, the lower index on the left: they are
// pushed on a stack; after chunk c, the two topmost states are merged once for each trailing one
// bit of c; at the end the stack folds from the top, combine(lower, upper).
//
// moments: a chunk makes two passes in the order above: sum / n_c = mean_c, then the sum of (x -
// mean_c)^2. Chunks merge in the same tree, by Chan's formula (math/moments.hpp).
#pragma once

#include <cstdint>

namespace sinter::kernel_ir {

inline constexpr int64_t reduce_lanes = 32;    // L
inline constexpr int64_t reduce_chunk = 4096;  // C
inline constexpr int64_t reduce_few = 256;     // most elements of a row of form `few`
                                               // (kernel_ir.hpp)

constexpr int64_t chunk_count(int64_t n) { return (n + reduce_chunk - 1) / reduce_chunk; }

}  // namespace sinter::kernel_ir
