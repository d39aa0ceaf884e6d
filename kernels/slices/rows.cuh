// The rows of strided arrays along one dimension, to a kernel.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

/// The dimensions that rows are counted by, and the strides of each array along them in bytes.
template <int arrays>
struct row_space {
    i64 dims, sizes[16], strides[arrays][16];
};

#ifdef SINTER_DEVICE
/// Writes to `at` the bytes from the beginning of each array to its part of a row.
template <int arrays>
static __device__ inline void find_row(const row_space<arrays>& k, u64 row, i64* at) {
    for (int o = 0; o < arrays; o++) at[o] = 0;
    for (int d = (int)k.dims - 1; d >= 0; d--) {
        const u64 outer = d ? row / (u64)k.sizes[d] : 0;
        const i64 n = (i64)(row - outer * (u64)k.sizes[d]);
        row = outer;
        for (int o = 0; o < arrays; o++) at[o] += n * k.strides[o][d];
    }
}
#endif

}  // namespace sinter::on_gpu
