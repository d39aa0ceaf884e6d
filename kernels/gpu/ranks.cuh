// Stable places of the elements of a block by 8 bits of their keys. A group is 32 threads, whose
// elements come before those of the next one. Blocks have 256 threads.
#pragma once

#include "kernels/gpu/elements.cuh"

namespace sinter::on_gpu {

enum { radix_digits = 256 };

#ifdef SINTER_DEVICE
enum { digit_groups = 256 / 32 };
/// For each group the number of its elements of each digit, or the place of the next one.
typedef u32 digit_counts[digit_groups][radix_digits];

template <class key>
static __device__ inline u32 digit_of(key x, u32 shift) {
    return (u32)(x >> shift) & (radix_digits - 1);
}

static __device__ inline void clear_counts(digit_counts& counts) {
#pragma unroll
    for (u32 g = 0; g < digit_groups; g++) counts[g][threadIdx.x] = 0;
}

/// Returns the number of elements of the thread's digit.
static __device__ inline u32 count_of_digit(const digit_counts& counts) {
    u32 all = 0;
#pragma unroll
    for (u32 g = 0; g < digit_groups; g++) all += counts[g][threadIdx.x];
    return all;
}

/// Returns the place of this lane's element: `next[digit]` for the first lane of that digit, then
/// one after the other. Moves `next` on. The lanes of a digit find each other by votes on its bits,
/// and the last of them counts them all. All lanes of a wave must call it; the place means nothing
/// unless the element is `inside`.
static __device__ inline u32 take_place(u32* next, u32 digit, bool inside) {
    const u32 lane = threadIdx.x % 32;
    u32 same = lanes_where(inside);
#pragma unroll
    for (u32 bit = 1; bit < radix_digits; bit *= 4)
        same &= lanes_like(digit, bit) & lanes_like(digit, 2 * bit);
    u32* const of_digit = next + digit;
    const u32 before = (u32)__popc((int)(same & ((1u << lane) - 1)));
    const u32 last = 31 - (u32)__clz((int)same), up_to = before + 1;
    u32 start = 0;
    if (lane == last) start = atomicAdd(of_digit, up_to);
    return lane_at(start, (int)last, 32) + before;
}

/// Returns the sum of `mine` over the threads before this one, and sets `all` to that of all 256.
/// `of_groups` is a number in shared memory for each group. Begins with a barrier.
template <class number>
static __device__ inline number sum_before(number mine, number& all, number* of_groups) {
    const u32 lane = threadIdx.x % 32, group = threadIdx.x / 32;
    number up_to = mine;
    for (int by = 1; by < 32; by *= 2) {
        const number before = lane_up(up_to, by, 32);
        if (lane >= (u32)by) up_to += before;
    }
    __syncthreads();  // the last call's sums have been read
    if (lane == 31) of_groups[group] = up_to;
    __syncthreads();
    number before = 0;
    all = 0;
    for (u32 g = 0; g < digit_groups; g++) {
        if (g < group) before += of_groups[g];
        all += of_groups[g];
    }
    return before + up_to - mine;
}

/// Turns numbers of elements into places in the order of all digits. Returns the number of elements
/// of the thread's digit, and sets `start` to the place of the first. `sums` is as in `sum_before`.
static __device__ inline u32 set_places(digit_counts& counts, u32* sums, u32& start) {
    const u32 of_digit = count_of_digit(counts);
    u32 unused;
    start = sum_before(of_digit, unused, sums);
    u32 next = start;
#pragma unroll
    for (u32 g = 0; g < digit_groups; g++) {
        const u32 count = counts[g][threadIdx.x];
        counts[g][threadIdx.x] = next;
        next += count;
    }
    return of_digit;
}
#endif

}  // namespace sinter::on_gpu
