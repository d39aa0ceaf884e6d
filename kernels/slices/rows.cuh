// The rows of strided arrays along one dimension, for GPU kernels.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

/// The dimensions that count the rows, and the byte strides of each array along them.
template <int arrays>
struct row_space {
    i64 dims, sizes[16], strides[arrays][16];
};

#ifdef SINTER_DEVICE
/// Sets at[i] to the byte offset of a row in array i, for each of the arrays.
template <int arrays>
static __device__ inline void find_row(const row_space<arrays>& k, u64 row, i64* at) {
    for (int o = 0; o < arrays; o++) at[o] = 0;
#pragma unroll 1
    for (int d = (int)k.dims - 1; d >= 0; d--) {
        const u64 outer = d ? row / (u64)k.sizes[d] : 0;
        const i64 n = (i64)(row - outer * (u64)k.sizes[d]);
        row = outer;
        for (int o = 0; o < arrays; o++) at[o] += n * k.strides[o][d];
    }
}
#endif

}  // namespace sinter::on_gpu
