// Stable sorting of long rows by up to 8 bits of their keys at a time, the lowest first. Each pass
// counts the digits of the parts of a row, finds where each part's elements of each digit begin,
// and moves the elements there. Nothing depends on the order of blocks. Macro definitions: KEY and
// INDEX, unsigned types.
#pragma once

#include "kernels/gpu/ranks.cuh"
#include "kernels/slices/rows.cuh"
#include "kernels/sort/key.cuh"

namespace sinter::on_gpu {

/// A block sorts a tile at once, of this many bytes of keys or of indices. A part has a multiple of
/// it.
enum { most_radix_parts = 2048, radix_tile_bytes = 12 << 10 };

// The first pass reads strided elements (`data`), or keys whose indices are their positions.
// `places` has a number for each row, digit and part: first the number of elements, then that of
// the elements of the same digit in earlier parts. `totals` has the number of elements of each
// digit.
template <class key, class index>
struct radix_pass {
    row_space<2> space;
    elements of;
    i64 rows, n, part, parts, shift, mask;  // a digit is (key >> shift) & mask
    const char* data;
    i64 step;
    const key* keys;
    const index* indices;
    key* to_keys;
    index *to_indices, *places, *totals;
};

#ifdef SINTER_DEVICE
typedef radix_pass<KEY, INDEX> pass;
enum {
    largest = sizeof(KEY) > sizeof(INDEX) ? sizeof(KEY) : sizeof(INDEX),
    tile = radix_tile_bytes / largest,
    each = tile / 256
};

static __device__ inline u32 own_digit(const pass& k, KEY key) {
    return (u32)(key >> (u32)k.shift) & (u32)k.mask;
}
/// Sets the first elements of a row, strided or as keys.
static __device__ inline const char* find_data(const pass& k, u64 row, const KEY*& keys) {
    keys = k.keys + row * (u64)k.n;
    if (!k.data) return 0;
    i64 at[2];
    find_row(k.space, row, at);
    return k.data + at[0];
}

extern "C" __global__ void __launch_bounds__(256) sinter_radix_count(const pass k) {
    __shared__ digit_counts counts;
    const u32 me = threadIdx.x, group = me / 32;
    for (u64 block = blockIdx.x; block < (u64)(k.rows * k.parts); block += gridDim.x) {
        const u64 row = block / (u64)k.parts, part = block - row * (u64)k.parts;
        const KEY* keys;
        const char* const data = find_data(k, row, keys);
        const i64 begin = (i64)part * k.part;
        const i64 end = begin + k.part < k.n ? begin + k.part : k.n;
        clear_counts(counts);
        __syncthreads();
        for (i64 first = begin + me; first < end; first += 256 * 8) {
            KEY key[8] = {};
            const u32 inside = end - first < 256 * 8 ? (u32)(end - first) : 256 * 8;
            load_keys<8>(k.of, data, k.step, keys, first, 256, inside, key);
#pragma unroll
            for (u32 j = 0; j < 8; j++)
                if (j * 256 < inside) atomicAdd(&counts[group][own_digit(k, key[j])], 1u);
        }
        __syncthreads();
        k.places[(row * radix_digits + me) * (u64)k.parts + part] = (INDEX)count_of_digit(counts);
        __syncthreads();
    }
}

/// Loads the elements of a tile that belong to a thread, 32 apart, before `end`.
static __device__ inline void load_own(const pass& k, const char* data, const KEY* keys, i64 first,
                                       i64 end, KEY* key) {
    if (first < end)
        load_keys<each>(k.of, data, k.step, keys, first, 32,
                        end - first < tile ? (u32)(end - first) : tile, key);
}

// One block per row and digit.
extern "C" __global__ void __launch_bounds__(256) sinter_radix_places(const pass k) {
    enum { of_thread = most_radix_parts / 256 };
    __shared__ INDEX sums[digit_groups];
    for (u64 block = blockIdx.x; block < (u64)k.rows * radix_digits; block += gridDim.x) {
        INDEX* const places = k.places + block * (u64)k.parts;
        const u32 first = threadIdx.x * of_thread;
        INDEX count[of_thread], mine = 0, all;
#pragma unroll
        for (u32 j = 0; j < of_thread; j++) {
            count[j] = first + j < (u64)k.parts ? places[first + j] : 0;
            mine += count[j];
        }
        INDEX before = sum_before(mine, all, sums);
#pragma unroll
        for (u32 j = 0; j < of_thread; j++) {
            if (first + j < (u64)k.parts) places[first + j] = before;
            before += count[j];
        }
        if (threadIdx.x == 0) k.totals[block] = all;
    }
}

extern "C" __global__ void SINTER_LAUNCH_BOUNDS(256, 3) sinter_radix_move(const pass k) {
    __shared__ KEY sorted_keys[tile];
    __shared__ INDEX sorted_indices[tile];
    __shared__ digit_counts counts;
    __shared__ INDEX sums[digit_groups];
    __shared__ u32 tile_sums[digit_groups];
    __shared__ i64 shifted[radix_digits];  // an element's place in the row, less that in the tile
    const u32 me = threadIdx.x, lane = me % 32, group = me / 32;
    for (u64 block = blockIdx.x; block < (u64)(k.rows * k.parts); block += gridDim.x) {
        const u64 row = block / (u64)k.parts, part = block - row * (u64)k.parts;
        const KEY* keys;
        const char* const data = find_data(k, row, keys);
        const INDEX* const indices = k.indices ? k.indices + row * (u64)k.n : 0;
        KEY* const to_keys = k.to_keys + row * (u64)k.n;
        INDEX* const to_indices = k.to_indices + row * (u64)k.n;
        const i64 begin = (i64)part * k.part;
        const i64 end = begin + k.part < k.n ? begin + k.part : k.n;
        INDEX row_elements;
        // Where this block's next element of digit `me` goes.
        i64 next = (i64)sum_before(k.totals[row * radix_digits + me], row_elements, sums) +
                   (i64)k.places[(row * radix_digits + me) * (u64)k.parts + part];
        const u32 mine = group * 32 * each + lane;
        KEY key[each] = {};
        load_own(k, data, keys, begin + mine, end, key);
        for (i64 first = begin; first < end; first += tile) {
            const u32 size = end - first < tile ? (u32)(end - first) : tile;
            clear_counts(counts);
            __syncthreads();
            INDEX index[each];
            u32 places[each / 2];  // in the tile, two in a word
#pragma unroll
            for (int j = 0; j < each; j++) {
                const u32 i = mine + j * 32;
                index[j] = (INDEX)(first + i);
                if (indices && i < size) index[j] = indices[first + i];
            }
#pragma unroll
            for (int j = 0; j < each; j++) {
                const u32 place =
                    take_place(counts[group], own_digit(k, key[j]), mine + j * 32 < size);
                places[j / 2] = j % 2 ? places[j / 2] | place << 16 : place;
            }
            __syncthreads();
            u32 start;
            const u32 of_digit = set_places(counts, tile_sums, start);
            shifted[me] = next - start;
            next += of_digit;
            __syncthreads();
#pragma unroll
            for (int j = 0; j < each; j++) {
                const u32 i = mine + j * 32, place = places[j / 2] >> j % 2 * 16 & 0xffff;
                const u32 at = place + counts[group][own_digit(k, key[j])];
                if (i >= size) continue;
                sorted_keys[at] = key[j];
                sorted_indices[at] = index[j];
            }
            // The next tile is under way while this one is written.
            load_own(k, data, keys, first + tile + mine, end, key);
            __syncthreads();
#pragma unroll
            for (int j = 0; j < each; j++) {
                const u32 at = me + j * 256;
                if (at >= size) continue;
                const KEY moved = sorted_keys[at];
                const i64 to = shifted[own_digit(k, moved)] + at;
                to_keys[to] = moved;
                to_indices[to] = sorted_indices[at];
            }
            __syncthreads();
        }
    }
}
#endif

}  // namespace sinter::on_gpu
