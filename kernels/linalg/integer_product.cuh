// Matrix products of integers. Macro definitions: T (the element type), SUM (an unsigned type that
// is not narrower) and DIMS (the number of batch dimensions).
//
// A block computes 64 by 64 elements of the result, a thread 4 by 4 of them, 16 apart. Integers
// wrap, so unsigned sums of any width not below the element's are correct.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

enum { product_side = 64 };

template <int dims, class element>
struct factor {
    const element* data;
    i64 row, column;
    list<i64, dims> batch;
};

template <int dims, class element>
struct products {
    i64 blocks, m, n, k, across, down;
    factor<dims, element> a, b;
    element* c;
    list<i64, dims> sizes;
};

#ifdef SINTER_DEVICE
extern "C" __global__ void __launch_bounds__(256) sinter_multiply(const products<DIMS, T> p) {
    __shared__ SUM of_a[16][65], of_b[16][65];
    const u32 t = threadIdx.x, x = t % 16, y = t / 16;
    for (i64 block = blockIdx.x; block < p.blocks; block += gridDim.x) {
        const i64 tile = block / p.across, batch = tile / p.down;
        const i64 row = (tile - batch * p.down) * 64, column = (block - tile * p.across) * 64;
        const T *a = p.a.data, *b = p.b.data;
        i64 rest = batch;
        for (int d = DIMS - 1; d >= 0; d--) {
            const i64 outer = rest / p.sizes[d], at = rest - outer * p.sizes[d];
            a += at * p.a.batch[d];
            b += at * p.b.batch[d];
            rest = outer;
        }
        SUM sums[4][4] = {};
        for (i64 first = 0; first < p.k; first += 16) {
            // Neighbouring threads read along the dimension that is dense, if one is.
            for (u32 i = t; i < 16 * 64; i += 256) {
                const bool wide = p.a.column != 1;
                const u32 r = wide ? i % 64 : i / 16, c = wide ? i / 64 : i % 16;
                of_a[c][r] = row + r < p.m && first + c < p.k
                                 ? (SUM)a[(row + r) * p.a.row + (first + c) * p.a.column]
                                 : 0;
            }
            for (u32 i = t; i < 16 * 64; i += 256) {
                const bool wide = p.b.row != 1;
                const u32 c = wide ? i % 64 : i / 16, r = wide ? i / 64 : i % 16;
                of_b[r][c] = column + c < p.n && first + r < p.k
                                 ? (SUM)b[(first + r) * p.b.row + (column + c) * p.b.column]
                                 : 0;
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < 16; k++)
#pragma unroll
                for (int i = 0; i < 4; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++)
                        sums[i][j] += of_a[k][y + 16 * i] * of_b[k][x + 16 * j];
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (row + y + 16 * i < p.m && column + x + 16 * j < p.n)
                    p.c[(batch * p.m + row + y + 16 * i) * p.n + column + x + 16 * j] =
                        (T)sums[i][j];
    }
}
#endif

}  // namespace sinter::on_gpu
