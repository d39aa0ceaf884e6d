// Tiles of rows that a block sorts in shared memory, stably, by 8 bits of their keys at a time.
// Macro definitions: KEY, an unsigned type, and PACKED, 1 if keys have at most 16 bits, else 0.
#pragma once

#include "kernels/gpu/ranks.cuh"
#include "kernels/sort/key.cuh"

namespace sinter::on_gpu {

/// The keys of a tile have so many bytes.
enum { sorted_tile_bytes = 16 << 10 };

#ifdef SINTER_DEVICE
/// A thread takes `at_once` elements or a multiple of that. Up to `most_compared` elements are
/// sorted by comparisons with each other.
enum {
    tile_elements = sorted_tile_bytes / sizeof(KEY),
    of_thread = tile_elements / 256,
    at_once = 4,
    most_compared = 128
};
/// The elements of a tile: of each its key and its position, in one word if both have 16 bits.
/// `words` are for sums while threads have all of the elements. Of AMD's 64 KiB two blocks take
/// all.
struct tile_items {
    union {
        KEY key[tile_elements];
        u32 words[sorted_tile_bytes / sizeof(u32)];
    };
    unsigned short position[PACKED ? 1 : tile_elements];
    digit_counts counts;
};
static __device__ inline void put_item(tile_items& s, u32 at, KEY key, u32 position) {
    s.key[at] = PACKED ? key | (KEY)position << 16 : key;
    if (!PACKED) s.position[at] = (unsigned short)position;
}
static __device__ inline void read_item(const tile_items& s, u32 at, KEY& key, u32& position) {
    const KEY item = s.key[at];
    key = PACKED ? item & 0xffff : item;
    position = PACKED ? (u32)(item >> 16) : s.position[at];
}
/// Puts a tile of `size` elements in the order of 8 bits of their keys; equal ones keep theirs.
/// Begins after a barrier, with cleared counts, and ends with one.
static __device__ inline void sort_by_digit(tile_items& s, u32 size, u32 shift) {
    const u32 lane = threadIdx.x % 32, group = threadIdx.x / 32;
    // Of a shorter tile each thread has fewer elements.
    const u32 mine = (size + 256 * at_once - 1) / (256 * at_once) * at_once;
    const u32 first = group * 32 * mine + lane;
    KEY key[of_thread] = {};
    u32 position[of_thread] = {}, start;
    u32* const counts = s.counts[group];
#pragma unroll
    for (u32 some = 0; some < of_thread; some += at_once) {
        if (some >= mine) break;
#pragma unroll
        for (u32 j = some; j < some + at_once; j++) {
            const u32 i = first + j * 32;
            key[j] = s.key[i];
            if (!PACKED) position[j] = s.position[i];
            if (i < size) atomicAdd(&counts[digit_of(key[j], shift)], 1u);
        }
    }
    __syncthreads();
    set_places(s.counts, s.words, start);
    __syncthreads();
#pragma unroll
    for (u32 some = 0; some < of_thread; some += at_once) {
        if (some >= mine) break;
#pragma unroll
        for (u32 j = some; j < some + at_once; j++) {
            const bool inside = first + j * 32 < size;
            const u32 at = take_place(counts, digit_of(key[j], shift), inside);
            if (!inside) continue;
            s.key[at] = key[j];
            if (!PACKED) s.position[at] = (unsigned short)position[j];
        }
    }
    __syncthreads();
}

/// Keeps elements of a tile, among them those in places [from, end) of the order, and not many
/// others. Digit by digit, the highest first, it finds the key of the last one wanted. Sets
/// `before` to the number of elements left out that come before, and returns how many are kept, in
/// shared memory in any order, or 0 if that would be too many. `key` has each 256th element from
/// the thread's first one. Begins and ends with a barrier.
static __device__ inline u32 keep_places(tile_items& s, const KEY* key, u32 size, u32 from, u32 end,
                                         u32 bits, u32& before) {
    // Behind the elements that are kept.
    u32* const sums = s.words + sorted_tile_bytes / sizeof(u32) - digit_groups - 4;
    u32 &chosen = sums[digit_groups], &lower = sums[digit_groups + 1];
    u32 &equal = sums[digit_groups + 2], &found = sums[digit_groups + 3];
    const u32 me = threadIdx.x, group = me / 32;
    KEY last = 0;   // the highest digits of the last one
    u32 below = 0;  // elements whose digits are lower
    for (u32 shift = (bits + 7) / 8 * 8; shift > 0;) {
        shift -= 8;
        clear_counts(s.counts);
        if (me == 0) found = 0;
        __syncthreads();
#pragma unroll
        for (u32 j = 0; j < of_thread; j++)
            if (me + j * 256 < size && key[j] >> shift >> 8 == last)
                atomicAdd(&s.counts[group][digit_of(key[j], shift)], 1u);
        __syncthreads();
        const u32 of_digit = count_of_digit(s.counts);
        u32 unused;
        const u32 first = below + sum_before(of_digit, unused, sums);
        if (first < end && end <= first + of_digit) {
            chosen = me;
            lower = first;
            equal = of_digit;
        }
        __syncthreads();
        last = last << 8 | chosen;
        below = lower;
        before = below <= from ? below : 0;
        const u32 kept = below - before + equal;
        if (kept > most_compared) continue;
#pragma unroll
        for (u32 j = 0; j < of_thread; j++) {
            const u32 i = me + j * 256;
            const KEY digits = key[j] >> shift;
            if (i < size && (digits == last || (!before && digits < last)))
                put_item(s, atomicAdd(&found, 1u), key[j], i);
        }
        __syncthreads();
        return kept;
    }
    __syncthreads();
    before = 0;
    return 0;
}
/// Sorts a few elements: each thread counts those that come before its own. Begins after a barrier
/// and ends with one.
static __device__ inline void sort_few(tile_items& s, u32 size) {
    const u32 me = threadIdx.x;
    KEY key = 0, other;
    u32 position = 0, of_other, place = 0;
    if (me < size) {
        read_item(s, me, key, position);
        for (u32 t = 0; t < size; t++) {
            read_item(s, t, other, of_other);
            if (other < key || (other == key && of_other < position)) place++;
        }
    }
    __syncthreads();
    if (me < size) put_item(s, place, key, position);
    __syncthreads();
}
/// Sorts all elements of a tile, which are given as to `keep_places`.
static __device__ inline void sort_all(tile_items& s, const KEY* key, u32 size, u32 bits) {
#pragma unroll
    for (u32 j = 0; j < of_thread; j++) {
        const u32 i = threadIdx.x + j * 256;
        if (i < size) put_item(s, i, key[j], i);
    }
    __syncthreads();
    const KEY any_key = s.key[0];  // its position is 0
    KEY differing = 0;
#pragma unroll
    for (u32 j = 0; j < of_thread; j++)
        if (threadIdx.x + j * 256 < size) differing |= key[j] ^ any_key;
    for (u32 shift = 0; shift < bits; shift += 8) {
        clear_counts(s.counts);
        if (__syncthreads_or((int)digit_of(differing, shift))) sort_by_digit(s, size, shift);
    }
}
#endif

}  // namespace sinter::on_gpu
