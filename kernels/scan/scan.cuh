// Scans of rows. A .cuh file includes this one at its end, after it has defined:
//
//   source                 its part of the arguments
//   item, state, result    types
//   none(source)           the state before the first element
//   load(source, p)        an item
//   taken(source, item, i) its state, as element i of the row
//   joined(source, a, b)   the state of a followed by b
//   result_of(state), store(source, p, row, step, result)
//
// sinter_scan_rows: one thread per row, in the order of its elements. sinter_scan_short: the same
// for rows that do not lie side by side. sinter_scan_parts: one block per part of a row, by tiles;
// without an output it stores the parts' totals. sinter_scan_totals: the exclusive scan of the
// totals of each row.
#pragma once

#include "kernels/slices/rows.cuh"

namespace sinter::on_gpu {

/// The number of elements that a block scans at once, and the maximum number of parts of a row.
enum { scanned_tile = 2048, most_scan_parts = 1024 };

template <class source, class state>
struct scans {
    row_space<2> space;
    source of;
    i64 rows, n, part, parts;
    const char* data;
    char* out;
    i64 step, out_step;
    state* totals;
};

#ifdef SINTER_DEVICE
enum { tile = scanned_tile, each = 8 };
static __device__ inline u32 padded(u32 i) { return i + (i >> 5); }

extern "C" __global__ void __launch_bounds__(256) sinter_scan_rows(const scans<source, state> k) {
    const i64 threads = (i64)gridDim.x * blockDim.x;
    for (i64 row = (i64)blockIdx.x * blockDim.x + threadIdx.x; row < k.rows; row += threads) {
        i64 at[2];
        find_row(k.space, (u64)row, at);
        const char* const data = k.data + at[0];
        char* const out = k.out + at[1];
        state so_far = none(k.of);
        for (i64 i = 0; i < k.n; i += each) {
            item x[each];
#pragma unroll
            for (int j = 0; j < each; j++)
                if (i + j < k.n) x[j] = load(k.of, data + (i + j) * k.step);
#pragma unroll
            for (int j = 0; j < each; j++)
                if (i + j < k.n) {
                    so_far = joined(k.of, so_far, taken(k.of, x[j], i + j));
                    store(k.of, out + (i + j) * k.out_step, data, k.step, result_of(so_far));
                }
        }
    }
}

// Stages 8 elements of 256 rows in shared memory, so that neighbouring threads access neighbouring
// elements of a row.
extern "C" __global__ void __launch_bounds__(256) sinter_scan_short(const scans<source, state> k) {
    __shared__ item items[256 * (each + 1)];
    __shared__ result results[256 * (each + 1)];
    __shared__ i64 from[256], to[256];
    const u32 mine = threadIdx.x * (each + 1), column = threadIdx.x % each;
    for (i64 first = (i64)blockIdx.x * 256; first < k.rows; first += (i64)gridDim.x * 256) {
        const u32 rows = k.rows - first < 256 ? (u32)(k.rows - first) : 256;
        if (threadIdx.x < rows) {
            i64 at[2];
            find_row(k.space, (u64)(first + threadIdx.x), at);
            from[threadIdx.x] = at[0];
            to[threadIdx.x] = at[1];
        }
        __syncthreads();
        state so_far = none(k.of);
        for (i64 i = 0; i < k.n; i += each) {
            const bool inside = i + column < k.n;
#pragma unroll
            for (u32 row = threadIdx.x / each; row < 256; row += 256 / each)
                if (inside && row < rows)
                    items[row * (each + 1) + column] =
                        load(k.of, k.data + from[row] + (i + column) * k.step);
            __syncthreads();
            if (threadIdx.x < rows)
                for (int j = 0; j < each && i + j < k.n; j++) {
                    so_far = joined(k.of, so_far, taken(k.of, items[mine + j], i + j));
                    results[mine + j] = result_of(so_far);
                }
            __syncthreads();
#pragma unroll
            for (u32 row = threadIdx.x / each; row < 256; row += 256 / each)
                if (inside && row < rows)
                    store(k.of, k.out + to[row] + (i + column) * k.out_step, k.data + from[row],
                          k.step, results[row * (each + 1) + column]);
        }
        __syncthreads();
    }
}

// Returns the joined state of the threads before this one in the block. Sets `all` to that of all
// threads.
static __device__ inline state states_before(const source& of, state mine, state& all) {
    __shared__ state states[256];
    const u32 t = threadIdx.x;
    states[t] = mine;
    __syncthreads();
    for (u32 by = 1; by < 256; by *= 2) {
        if (t >= by) mine = joined(of, states[t - by], mine);
        __syncthreads();
        states[t] = mine;
        __syncthreads();
    }
    all = states[255];
    const state before = t ? states[t - 1] : none(of);
    __syncthreads();
    return before;
}

extern "C" __global__ void __launch_bounds__(256) sinter_scan_parts(const scans<source, state> k) {
    __shared__ item items[tile + tile / 32];
    __shared__ result results[tile + tile / 32];
    const u32 mine = threadIdx.x * each;
    for (u64 block = blockIdx.x; block < (u64)k.rows * k.parts; block += gridDim.x) {
        const u64 row = block / k.parts;
        const i64 begin = (i64)(block - row * k.parts) * k.part;
        const i64 end = begin + k.part < k.n ? begin + k.part : k.n;
        i64 at[2];
        find_row(k.space, row, at);
        const char* const data = k.data + at[0];
        char* const out = k.out + at[1];
        state so_far = none(k.of);
        if (k.out && k.parts > 1) so_far = k.totals[block];
        for (i64 first = begin; first < end; first += tile) {
            const u32 size = end - first < tile ? (u32)(end - first) : tile;
            for (u32 t = threadIdx.x; t < size; t += 256)
                items[padded(t)] = load(k.of, data + (first + t) * k.step);
            __syncthreads();
            state states[each], own = none(k.of), all;
#pragma unroll
            for (int j = 0; j < each; j++) {
                if (mine + j < size)
                    own = joined(k.of, own, taken(k.of, items[padded(mine + j)], first + mine + j));
                states[j] = own;
            }
            const state before = joined(k.of, so_far, states_before(k.of, own, all));
            so_far = joined(k.of, so_far, all);
            if (!k.out) continue;
#pragma unroll
            for (int j = 0; j < each; j++)
                if (mine + j < size)
                    results[padded(mine + j)] = result_of(joined(k.of, before, states[j]));
            __syncthreads();
            for (u32 t = threadIdx.x; t < size; t += 256)
                store(k.of, out + (first + t) * k.out_step, data, k.step, results[padded(t)]);
        }
        if (!k.out && threadIdx.x == 0) k.totals[block] = so_far;
        __syncthreads();
    }
}

extern "C" __global__ void __launch_bounds__(256) sinter_scan_totals(const scans<source, state> k) {
    for (i64 row = blockIdx.x; row < k.rows; row += gridDim.x) {
        state* const totals = k.totals + row * k.parts;
        const u32 parts = (u32)k.parts, mine = threadIdx.x * 4;
        state states[4], own = none(k.of), all;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            states[j] = own;
            if (mine + j < parts) own = joined(k.of, own, totals[mine + j]);
        }
        const state before = states_before(k.of, own, all);
#pragma unroll
        for (int j = 0; j < 4; j++)
            if (mine + j < parts) totals[mine + j] = joined(k.of, before, states[j]);
    }
}
#endif

}  // namespace sinter::on_gpu
