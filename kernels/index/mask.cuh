// Finds where a mask is true. A block has 256 threads of 16 bytes each. One block then sums the
// counts of the blocks before each block, in order. A use of the mask finds the true elements
// again.
//
// Macro definitions: none for the kernels that count. For the kernel that uses the true elements:
// USE (one of the functions below), T (the element type) and DIMS.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

/// The number of bytes of a mask per block.
enum { mask_block_bytes = 4096 };

// After sinter_sum_ones, before[b] is the number of ones in the blocks before block b. The word
// after the last block's is the total.
struct mask_bytes {
    i64 n;
    const u8* mask;
    u64* before;
};

template <int dims, class element>
struct used_ones {
    mask_bytes m;
    const element* from;
    element* to;
    list<i64, dims> sizes, strides;
};

#ifdef SINTER_DEVICE
// Returns a bit for each of the thread's 16 bytes: 1 if the byte is true.
static __device__ inline u32 ones_of_thread(const mask_bytes& k) {
    const i64 first = (i64)blockIdx.x * mask_block_bytes + threadIdx.x * 16;
    if (first >= k.n) return 0;
    u32 ones = 0;
    if (first + 16 <= k.n && (u64)(k.mask + first) % 16 == 0) {
        const bits16 all = *(const bits16*)(k.mask + first);
        for (int j = 0; j < 8; j++) {
            ones |= (u32)((all.low >> 8 * j & 255) != 0) << j;
            ones |= (u32)((all.high >> 8 * j & 255) != 0) << (8 + j);
        }
        return ones;
    }
    for (int j = 0; j < 16; j++)
        if (first + j < k.n) ones |= (u32)(k.mask[first + j] != 0) << j;
    return ones;
}
// Returns the sum of the threads before this one in the block. Sets `all` to that of all threads.
template <class T>
static __device__ inline T sum_before(T mine, T& all) {
    __shared__ T sums[256];
    const u32 t = threadIdx.x;
    sums[t] = mine;
    __syncthreads();
    T sum = mine;
    for (u32 by = 1; by < 256; by *= 2) {
        if (t >= by) sum += sums[t - by];
        __syncthreads();
        sums[t] = sum;
        __syncthreads();
    }
    all = sums[255];
    __syncthreads();
    return sum - mine;
}

#ifndef USE
extern "C" __global__ void sinter_count_ones(const mask_bytes k) {
    u32 all;
    sum_before((u32)__popc(ones_of_thread(k)), all);
    if (threadIdx.x == 0) k.before[blockIdx.x] = all;
}
extern "C" __global__ void sinter_sum_ones(const mask_bytes k) {
    const i64 blocks = (k.n + mask_block_bytes - 1) / mask_block_bytes;
    u64 so_far = 0;
    for (i64 first = 0; first < blocks; first += 256) {
        const i64 at = first + threadIdx.x;
        const u64 mine = at < blocks ? k.before[at] : 0;
        u64 all;
        const u64 before = sum_before(mine, all);
        if (at < blocks) k.before[at] = so_far + before;
        so_far += all;
    }
    if (threadIdx.x == 0) k.before[blocks] = so_far;
}

#else
// The functions for USE. `at` is the element's index in the mask, `rank` the number of ones before
// it.
template <class element>
static __device__ inline void write_index(const used_ones<DIMS, element>& k, i64 at, u64 rank) {
    i64 rest = at;
    for (int d = DIMS - 1; d >= 0; d--) {
        k.to[rank * DIMS + d] = (element)(rest % k.sizes[d]);
        rest /= k.sizes[d];
    }
}
template <class element>
static __device__ inline void select_element(const used_ones<DIMS, element>& k, i64 at, u64 rank) {
    k.to[rank] = k.from[at];
}
template <class element>
static __device__ inline void put_element(const used_ones<DIMS, element>& k, i64 at, u64 rank) {
    i64 rest = at, place = 0;
    for (int d = DIMS - 1; d >= 0; d--) {
        place += rest % k.sizes[d] * k.strides[d];
        rest /= k.sizes[d];
    }
    k.to[place] = k.from[rank];
}

extern "C" __global__ void sinter_use_ones(const used_ones<DIMS, T> k) {
    u32 ones = ones_of_thread(k.m), all;
    u64 rank = k.m.before[blockIdx.x] + sum_before((u32)__popc(ones), all);
    i64 at = (i64)blockIdx.x * mask_block_bytes + threadIdx.x * 16;
    for (; ones; ones >>= 1, at++)
        if (ones & 1) {
            USE(k, at, rank);
            rank++;
        }
}
#endif
#endif

}  // namespace sinter::on_gpu
