// Stable sorting of rows: short rows by merges in shared memory, several per block; tiles of others
// by 8 bits of their keys at a time in shared memory, then merges of sorted runs. Macro
// definitions: KEY and INDEX, unsigned types, and PACKED, 1 if keys have at most 16 bits, else 0.
//
// Merges use the merge path algorithm: a search along the diagonal of an output position finds how
// many elements of each run come before it. Of equal keys those of the first run come first.
#pragma once

#include "kernels/slices/rows.cuh"
#include "kernels/sort/tiles.cuh"

namespace sinter::on_gpu {

/// A short row has at most so many elements. A block sorts `merged_tile` elements of short rows,
/// and writes as many in a merge.
enum { most_short_row = 512, merged_tile = 2048 };

// A segment is a row, or a tile of a longer row. The input is strided elements (`data`), or keys in
// rows of `pitch` keys, of which the lowest `bits` may differ. The output is the indices of each
// row, as strided Long (`out`), and the elements in the same places of `values`, if that is not
// null; or runs of `kept` keys with their indices. Of short rows, `width` is the smallest power of
// two that holds one, and `*_across`: elements close in memory belong to neighbouring rows.
template <class key, class index>
struct sort_tiles {
    row_space<2> space;
    elements of;
    i64 rows, n, bits, width;
    const char* data;
    i64 step, data_across;
    const key* keys;
    const index* indices;
    i64 pitch;
    char *out, *values;
    i64 out_step, out_across, from, count;
    key* run_keys;
    index* run_indices;
    i64 kept;
};

// Merges pairs of neighbouring runs of rows of `n` elements. A run covers `span` elements of its
// row and holds the first of them in order, at most `kept`.
template <class key, class index>
struct merge_runs {
    i64 rows, n, span, kept;
    const key* keys;
    const index* indices;
    key* merged_keys;
    index* merged_indices;
};

// Writes the indices at positions [from, from + count) of the order of each row, as Long, and the
// elements in the same places of `values`, if that is not null. There are `pitch` sorted keys and
// indices per row.
template <class key, class index>
struct ordered_places {
    row_space<2> space;
    elements of;
    i64 rows, pitch, from, count, out_step, step;
    const char* data;
    const key* keys;
    const index* indices;
    char *out, *values;
};

#ifdef SINTER_DEVICE
enum { tile = merged_tile, each = 8 };
struct tile_keys {
    KEY key[tile + tile / 32];
    INDEX index[tile + tile / 32];
};
static __device__ inline u32 padded(u32 i) { return i + (i >> 5); }

// Merges the runs [a, a_end) and [b, b_end) of shared memory. Sets `key` and `index` to the
// `each` elements of the result from position `diagonal` on.
static __device__ inline void merge_some(const tile_keys& s, u32 a, u32 a_end, u32 b, u32 b_end,
                                         u32 diagonal, KEY* key, INDEX* index) {
    const u32 as = a_end - a, bs = b_end - b;
    u32 low = diagonal > bs ? diagonal - bs : 0, high = diagonal < as ? diagonal : as;
    while (low < high) {
        const u32 middle = (low + high) / 2;
        if (s.key[padded(a + middle)] <= s.key[padded(b + diagonal - 1 - middle)])
            low = middle + 1;
        else
            high = middle;
    }
    a += low;
    b += diagonal - low;
    KEY x = a < a_end ? s.key[padded(a)] : 0, y = b < b_end ? s.key[padded(b)] : 0;
#pragma unroll
    for (int j = 0; j < each; j++) {
        const bool first = a < a_end && (b >= b_end || x <= y);
        const u32 from = first ? a : b;
        if (!first && b >= b_end) break;
        key[j] = first ? x : y;
        index[j] = s.index[padded(from)];
        if (first) {
            a++;
            if (a < a_end) x = s.key[padded(a)];
        } else {
            b++;
            if (b < b_end) y = s.key[padded(b)];
        }
    }
}
static __device__ inline void read_own(const tile_keys& s, KEY* key, INDEX* index) {
#pragma unroll
    for (int j = 0; j < each; j++) {
        key[j] = s.key[padded(threadIdx.x * each + j)];
        index[j] = s.index[padded(threadIdx.x * each + j)];
    }
}
static __device__ inline void write_own(tile_keys& s, const KEY* key, const INDEX* index) {
#pragma unroll
    for (int j = 0; j < each; j++) {
        s.key[padded(threadIdx.x * each + j)] = key[j];
        s.index[padded(threadIdx.x * each + j)] = index[j];
    }
}
// Sorts segments of `width` elements, a power of two and at least 8. Begins and ends with a
// barrier.
static __device__ inline void sort_segments(tile_keys& s, u32 width) {
    KEY key[each];
    INDEX index[each];
    __syncthreads();
    read_own(s, key, index);
#pragma unroll
    for (int round = 0; round < each; round++)
#pragma unroll
        for (int j = round % 2; j + 1 < each; j += 2)
            if (key[j] > key[j + 1]) {
                const KEY x = key[j];
                const INDEX i = index[j];
                key[j] = key[j + 1], index[j] = index[j + 1];
                key[j + 1] = x, index[j + 1] = i;
            }
    write_own(s, key, index);
    for (u32 w = each; w < width; w *= 2) {
        __syncthreads();
        const u32 begin = threadIdx.x * each & ~(2 * w - 1);
        merge_some(s, begin, begin + w, begin + w, begin + 2 * w, threadIdx.x * each - begin, key,
                   index);
        __syncthreads();
        write_own(s, key, index);
    }
    __syncthreads();
}

/// Returns where the element goes whose index (Long) is at byte `at` of the other result.
static __device__ inline char* value_at(const elements& of, char* values, i64 at) {
    return values + (at >> 3) * (i64)of.bytes;
}
/// Writes an element of a sorted row. It is read only if others have its key.
static __device__ inline void put_value(const elements& of, char* to, KEY key, const char* row,
                                        i64 offset) {
    KEY bits;
    if (!bits_of_key(of, key, bits)) bits = bits_at<KEY>(of, row + offset);
    put_bits(of, to, bits);
}
/// Writes what comes at place `i` of a short row's order. `result` is where the first element goes.
static __device__ inline void put_element(const sort_tiles<KEY, INDEX>& k, const char* row,
                                          i64 result, u32 i, KEY key, INDEX index) {
    if (k.out) {
        const i64 place = (i64)i - k.from;
        if (place < 0 || place >= k.count) return;
        const i64 at = result + place * k.out_step;
        *(i64*)(k.out + at) = (i64)index;
        if (k.values) put_value(k.of, value_at(k.of, k.values, at), key, row, (i64)index * k.step);
    } else if (i < k.kept) {
        k.run_keys[result + i] = key;
        k.run_indices[result + i] = index;
    }
}
extern "C" __global__ void __launch_bounds__(256)
    sinter_sort_short_rows(const sort_tiles<KEY, INDEX> k) {
    __shared__ tile_keys s;
    __shared__ i64 source[256], result[256];
    const u32 n = (u32)k.n, width = (u32)k.width, shift = 31 - __clz(width);
    const u32 together = tile >> shift;
    const u64 blocks = ((u64)k.rows + together - 1) / together;
    for (u64 block = blockIdx.x; block < blocks; block += gridDim.x) {
        const u64 first = block * together, left = (u64)k.rows - first;
        if (threadIdx.x < together && threadIdx.x < left) {
            const u64 row = first + threadIdx.x;
            i64 at[2];
            find_row(k.space, row, at);
            source[threadIdx.x] = k.data ? at[0] : (i64)row * k.pitch;
            result[threadIdx.x] = k.out ? at[1] : (i64)row * k.kept;
        }
        __syncthreads();
        for (u32 t = threadIdx.x; t < tile; t += 256) {
            const u32 i = k.data_across ? t / together : t & (width - 1);
            const u32 local = k.data_across ? t & (together - 1) : t >> shift;
            KEY key = ~(KEY)0;
            INDEX index = (INDEX)i;
            if (i < n && local < left) {
                if (k.data) {
                    key = key_at<KEY>(k.of, k.data + source[local] + i * k.step);
                } else {
                    key = k.keys[source[local] + i];
                    if (k.indices) index = k.indices[source[local] + i];
                }
            }
            s.key[padded(local * width + i)] = key;
            s.index[padded(local * width + i)] = index;
        }
        sort_segments(s, width);
        for (u32 t = threadIdx.x; t < tile; t += 256) {
            const u32 i = k.out_across ? t / together : t & (width - 1);
            const u32 local = k.out_across ? t & (together - 1) : t >> shift;
            const u32 at = padded(local * width + i);
            if (i < n && local < left)
                put_element(k, k.data + source[local], result[local], i, s.key[at], s.index[at]);
        }
        __syncthreads();
    }
}

/// Writes the elements in places [from, end) of a sorted row, from `result` on.
static __device__ inline void put_row(const sort_tiles<KEY, INDEX>& k, const tile_items& s,
                                      const char* row, i64 result, u32 from, u32 end) {
    KEY key;
    u32 position, i = from + threadIdx.x;
    result += threadIdx.x * k.out_step;
    const i64 step = 256 * k.out_step, value_step = (step >> 3) * (i64)k.of.bytes;
    char *to = k.out + result, *value = value_at(k.of, k.values, result);
    for (; i < end; i += 256, to += step, value += value_step) {
        read_item(s, i, key, position);
        *(i64*)to = (i64)position;
        if (k.values) put_value(k.of, value, key, row, position * k.step);
    }
}
/// Writes the first `wanted` elements of a tile's order. `begin` is the tile's place in its row,
/// whose indices `indices` are if that is not null.
static __device__ inline void put_run(const sort_tiles<KEY, INDEX>& k, const tile_items& s,
                                      const INDEX* indices, i64 begin, i64 result, u32 wanted) {
    KEY key;
    u32 position;
    for (u32 i = threadIdx.x; i < wanted; i += 256) {
        read_item(s, i, key, position);
        k.run_keys[result + i] = key;
        k.run_indices[result + i] = indices ? indices[begin + position] : (INDEX)(begin + position);
    }
}

extern "C" __global__ void SINTER_LAUNCH_BOUNDS(256, 4)
    sinter_sort_tiles(const sort_tiles<KEY, INDEX> k) {
    __shared__ tile_items s;
    const u32 me = threadIdx.x, bits = (u32)k.bits;
    const u64 tiles = ((u64)k.n + tile_elements - 1) / tile_elements;
    const i64 last_place = k.out ? k.from + k.count : k.kept;
    const u32 from = k.out ? (u32)k.from : 0;
    for (u64 block = blockIdx.x; block < (u64)k.rows * tiles; block += gridDim.x) {
        const u64 row = tiles == 1 ? block : block / tiles;
        const i64 begin = (i64)(block - row * tiles) * tile_elements;
        const u32 size = k.n - begin < tile_elements ? (u32)(k.n - begin) : tile_elements;
        const u32 end = last_place < size ? (u32)last_place : size;
        i64 place[2];
        find_row(k.space, row, place);
        const char* const data = k.data ? k.data + place[0] : 0;
        const u64 source = row * (u64)k.pitch;
        KEY key[of_thread] = {};
        if (me < size)
            load_keys<of_thread>(k.of, data, k.step, k.keys + source, begin + me, 256, size - me,
                                 key);
        u32 kept = 0, before = 0;
        if (end - from <= most_compared) kept = keep_places(s, key, size, from, end, bits, before);
        if (kept)
            sort_few(s, kept);
        else
            sort_all(s, key, size, bits);
        if (k.out)
            put_row(k, s, data, place[1], from - before, end - before);
        else
            put_run(k, s, k.indices ? k.indices + source : 0, begin, (i64)block * k.kept, end);
        __syncthreads();
    }
}

// Returns how many of the first `diagonal` elements of the merge come from `a`. All threads of the
// block must call it, as they search together.
static __device__ inline u64 split_before(const KEY* a, u64 as, const KEY* b, u64 bs,
                                          u64 diagonal) {
    u64 low = diagonal > bs ? diagonal - bs : 0, high = diagonal < as ? diagonal : as;
    while (low < high) {
        const u64 step = (high - low + 255) / 256, at = low + threadIdx.x * step;
        const bool before = at < high && a[at] <= b[diagonal - 1 - at];
        const u64 count = (u64)__syncthreads_count(before);
        const u64 end = low + count * step;
        if (end < high) high = end;
        if (count) low += (count - 1) * step + 1;
    }
    return low;
}
extern "C" __global__ void __launch_bounds__(256)
    sinter_merge_runs(const merge_runs<KEY, INDEX> k) {
    __shared__ tile_keys s;
    const u64 n = (u64)k.n, span = (u64)k.span, kept = (u64)k.kept;
    const u64 runs = (n + span - 1) / span, pairs = (runs + 1) / 2;
    const u64 held = span < kept ? span : kept, wanted = 2 * span < kept ? 2 * span : kept;
    const u64 tiles = (wanted + tile - 1) / tile, blocks = (u64)k.rows * pairs * tiles;
    for (u64 block = blockIdx.x; block < blocks; block += gridDim.x) {
        const u64 pair = block / tiles, begin = block % tiles * tile;
        const u64 row = pair / pairs, run = pair % pairs * 2;
        const u64 left = n - run * span, right = left > span ? left - span : 0;
        const u64 as = left < held ? left : held, bs = right < held ? right : held;
        u64 end = as + bs < wanted ? as + bs : wanted;
        if (begin >= end) continue;
        if (end > begin + tile) end = begin + tile;
        const u64 first = (row * runs + run) * held, second = first + held;
        const u64 a = split_before(k.keys + first, as, k.keys + second, bs, begin);
        const u64 a_end = split_before(k.keys + first, as, k.keys + second, bs, end);
        const u64 b = begin - a;
        const u32 from_a = (u32)(a_end - a), all = (u32)(end - begin);
        for (u32 t = threadIdx.x; t < all; t += 256) {
            const u64 at = t < from_a ? first + a + t : second + b + (t - from_a);
            s.key[padded(t)] = k.keys[at];
            s.index[padded(t)] = k.indices[at];
        }
        __syncthreads();
        KEY key[each];
        INDEX index[each];
        const u32 mine = threadIdx.x * each;
        if (mine < all) merge_some(s, 0, from_a, from_a, all, mine, key, index);
        __syncthreads();
#pragma unroll
        for (int j = 0; j < each; j++)
            if (mine + j < all) {
                s.key[padded(mine + j)] = key[j];
                s.index[padded(mine + j)] = index[j];
            }
        __syncthreads();
        const u64 to = pair * wanted + begin;
        for (u32 t = threadIdx.x; t < all; t += 256) {
            k.merged_keys[to + t] = s.key[padded(t)];
            k.merged_indices[to + t] = s.index[padded(t)];
        }
        __syncthreads();
    }
}
extern "C" __global__ void __launch_bounds__(256)
    sinter_put_order(const ordered_places<KEY, INDEX> k) {
    const u64 parts = ((u64)k.count + 2047) / 2048, blocks = (u64)k.rows * parts;
    for (u64 block = blockIdx.x; block < blocks; block += gridDim.x) {
        const u64 row = block / parts;
        i64 at[2];
        find_row(k.space, row, at);
        for (u32 t = threadIdx.x; t < 2048; t += 256) {
            const i64 i = (i64)(block - row * parts) * 2048 + t;
            if (i >= k.count) continue;
            const i64 from = (i64)row * k.pitch + k.from + i, to = at[1] + i * k.out_step;
            const i64 index = (i64)k.indices[from];
            *(i64*)(k.out + to) = index;
            if (k.values)
                put_value(k.of, value_at(k.of, k.values, to), k.keys[from], k.data + at[0],
                          index * k.step);
        }
    }
}
#endif

}  // namespace sinter::on_gpu
