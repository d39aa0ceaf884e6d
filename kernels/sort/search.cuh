// Searches in sorted rows. Macro definition: KEY, an unsigned type.
#pragma once

#include "kernels/slices/rows.cuh"
#include "kernels/sort/key.cuh"

namespace sinter::on_gpu {

// `bad` gets the position of the first index that is not in [0, n).
struct sorters {
    row_space<1> space;
    i64 rows, n, step;
    const char* data;
    u64* bad;
};

// A comparison with NaN, on either side, always inserts after.
struct searches {
    row_space<4> space;
    elements of;
    u64 nan;
    i64 rows, count, n, right, narrow;
    const char *values, *sequence, *sorter;
    char* out;
    i64 values_step, sequence_step, sorter_step, out_step;
};

template <class key>
struct members {
    row_space<2> space;
    elements of;
    u64 nan;
    i64 rows, count, n, invert;
    const key* keys;
    const char* data;
    u8* out;
    i64 step, out_step;
};

#ifdef SINTER_DEVICE
extern "C" __global__ void __launch_bounds__(256) sinter_check_sorter(const sorters k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.n;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        i64 at[1];
        find_row(k.space, (u64)(t / k.n), at);
        const i64 x = *(const i64*)(k.data + at[0] + t % k.n * k.step);
        if (x < 0 || x >= k.n) atomicMin(k.bad, (u64)t);
    }
}

extern "C" __global__ void __launch_bounds__(256) sinter_search(const searches k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.count;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        const i64 row = t / k.count, i = t - row * k.count;
        i64 at[4], begin = 0;
        find_row(k.space, (u64)row, at);
        const KEY value = key_at<KEY>(k.of, k.values + at[0] + i * k.values_step);
        const KEY nan = (KEY)k.nan;
        const bool last = k.nan && value == nan;
        for (i64 n = k.n; n > 0;) {
            const i64 half = n / 2;
            i64 m = begin + half;
            if (k.sorter) m = *(const i64*)(k.sorter + at[3] + m * k.sorter_step);
            const KEY middle = key_at<KEY>(k.of, k.sequence + at[2] + m * k.sequence_step);
            const bool behind =
                last || (k.nan && middle == nan) || (k.right ? middle <= value : middle < value);
            if (behind) begin += half + 1;
            n = behind ? n - half - 1 : half;
        }
        char* const out = k.out + at[1] + i * k.out_step;
        if (k.narrow)
            *(i32*)out = (i32)begin;
        else
            *(i64*)out = begin;
    }
}

extern "C" __global__ void __launch_bounds__(256) sinter_find_members(const members<KEY> k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.count;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        const i64 row = t / k.count, i = t - row * k.count;
        i64 at[2];
        find_row(k.space, (u64)row, at);
        const KEY key = key_at<KEY>(k.of, k.data + at[0] + i * k.step);
        const i64 found = first_not_below(k.keys, k.n, key);
        const bool there = found < k.n && k.keys[found] == key && !(k.nan && key == (KEY)k.nan);
        k.out[at[1] + i * k.out_step] = (u8)(there != (k.invert != 0));
    }
}
#endif

}  // namespace sinter::on_gpu
