// Scans of rows. A .cuh file includes this one at its end, after it has defined:
//
//   source                 its part of the arguments
//   item, state, result    types; items are the bits of elements
//   PACKS                  1: results are the bits of elements, too
//   none(source)           the state before the first element
//   taken(source, item, i) its state, as element i of the row
//   joined(source, a, b)   the state of a followed by b. joined(b, a) may differ in rounding only
//   result_of(source, state), store(source, p, row, step, result)
//
// Macro definitions: EACH, how many elements side by side a thread takes; RUNS, how many times it
// does so in a tile, 4 at most.
//
// sinter_scan_rows: one thread per row, in the order of its elements. sinter_scan_short: the same
// for rows that do not lie side by side. sinter_scan_tiles: one block per tile of a row; blocks
// tell each other the totals of tiles.
#pragma once

#include "kernels/slices/rows.cuh"

namespace sinter::on_gpu {

/// Tiles form groups, and groups of groups.
enum { scan_group = 32 };

// `told` starts with a ticket. What blocks tell of one row after the other follows, if it has
// several tiles: the totals of tiles, then those of groups, then for each group of groups what lies
// before it. All is 0 at first.
template <class source, class state>
struct scans {
    row_space<2> space;
    source of;
    i64 rows, n, tiles;
    const char* data;
    char* out;
    i64 step, out_step;
    u64* told;
};

#ifdef SINTER_DEVICE
enum { each = 8 };  // loads under way of a thread that takes elements one by one

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
                if (i + j < k.n) x[j] = *(const item*)(data + (i + j) * k.step);
#pragma unroll
            for (int j = 0; j < each; j++)
                if (i + j < k.n) {
                    so_far = joined(k.of, so_far, taken(k.of, x[j], i + j));
                    store(k.of, out + (i + j) * k.out_step, data, k.step, result_of(k.of, so_far));
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
            item x[each];
#pragma unroll
            for (u32 j = 0; j < each; j++) {
                const u32 row = threadIdx.x / each + j * (256 / each);
                if (inside && row < rows)
                    x[j] = *(const item*)(k.data + from[row] + (i + column) * k.step);
            }
#pragma unroll
            for (u32 j = 0; j < each; j++)
                items[(threadIdx.x / each + j * (256 / each)) * (each + 1) + column] = x[j];
            __syncthreads();
            if (threadIdx.x < rows)
                for (int j = 0; j < each && i + j < k.n; j++) {
                    so_far = joined(k.of, so_far, taken(k.of, items[mine + j], i + j));
                    results[mine + j] = result_of(k.of, so_far);
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

template <class T>
using pack_of = pack<T, EACH, EACH * sizeof(T) < 16 ? EACH * sizeof(T) : 16>;
typedef pack_of<item> items;
typedef pack_of<result> results;

static __device__ inline i64 tile() { return (i64)blockDim.x * RUNS * EACH; }
/// Returns the position in a tile of what this thread takes in a run.
static __device__ inline u32 taken_at(int run) { return (run * blockDim.x + threadIdx.x) * EACH; }

/// Whether packs of elements can be accessed in a row.
template <class packs>
static __device__ inline bool whole(const char* row, i64 step) {
    return step == sizeof(typename packs::element) && (u64)row % alignof(packs) == 0;
}

// Elements that no pack holds go through `stage`, so that neighbouring threads access neighbouring
// elements. What lies past the end has any value: only what lies past the end depends on it.
static __device__ inline void load_tile(const scans<source, state>& k, const char* row, i64 first,
                                        u32 size, items* stage, items (&x)[RUNS]) {
    const char* const from = row + first * k.step;
    if (whole<items>(row, k.step)) {
#pragma unroll
        for (int r = 0; r < RUNS; r++) {
            x[r] = items{};
            if (taken_at(r) + EACH <= size)
                x[r] = load_pack<items>(from + taken_at(r) * sizeof(item));
        }
        if (size % EACH == 0) return;
#pragma unroll
        for (int r = 0; r < RUNS; r++)
            if (taken_at(r) + EACH > size)
#pragma unroll
                for (u32 j = 0; j < EACH; j++)
                    if (taken_at(r) + j < size) x[r].at[j] = ((const item*)from)[taken_at(r) + j];
        return;
    }
#pragma unroll 1
    for (u32 j = threadIdx.x; j < tile(); j += each * blockDim.x) {
        item one[each];
#pragma unroll
        for (u32 i = 0; i < each; i++)
            if (j + i * blockDim.x < size)
                one[i] = *(const item*)(from + (j + i * blockDim.x) * k.step);
#pragma unroll
        for (u32 i = 0; i < each; i++) ((item*)stage)[j + i * blockDim.x] = one[i];
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < RUNS; r++) x[r] = stage[r * blockDim.x + threadIdx.x];
    __syncthreads();
}

/// Sets each state to that of this thread and those before it among 32 threads.
template <int n>
static __device__ inline void join_lanes(const source& of, state (&x)[n]) {
    const u32 lane = threadIdx.x % 32;
#pragma unroll
    for (u32 by = 1; by < 32; by *= 2)
#pragma unroll
        for (int r = 0; r < n; r++) {
            const state below = lane_up(x[r], by, 32);
            if (lane >= by) x[r] = joined(of, below, x[r]);
        }
}
/// Sets each state, a thread's of run r, to that of the runs before r and of the threads before
/// this one in run r. Returns that of all. `turn` alternates, so that one barrier is enough.
template <int n>
static __device__ inline state states_before(const source& of, state (&x)[n], u32& turn) {
    __shared__ state totals[2][32];
    const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    join_lanes(of, x);
    if (lane == 31)
#pragma unroll
        for (int r = 0; r < n; r++) totals[turn][r * warps + warp] = x[r];
    __syncthreads();
    state upto[1] = {lane < n * warps ? totals[turn][lane] : none(of)};
    turn ^= 1;
    join_lanes(of, upto);
#pragma unroll
    for (int r = 0; r < n; r++) {
        const u32 at = r * warps + warp;
        const state near = lane_up(x[r], 1, 32), far = lane_at(upto[0], at ? at - 1 : 0, 32);
        x[r] = joined(of, at ? far : none(of), lane ? near : none(of));
    }
    return lane_at(upto[0], n * warps - 1, 32);
}

// Each word that blocks tell has its own mark, so that no order of accesses is needed.
struct state_words {
    u32 at[sizeof(state) / 4];
};
enum { told_words = sizeof(state) / 4 };
static __device__ inline void tell(u64* to, const state& x) {
    const state_words words = __builtin_bit_cast(state_words, x);
#pragma unroll
    for (int i = 0; i < told_words; i++) atomicExch(to + i, (u64)1 << 32 | words.at[i]);
}
static __device__ inline u64 seen(u64* at) {
#ifdef __CUDACC_RTC__
    return *(volatile u64*)at;
#else
    return atomicAdd(at, (u64)0);
#endif
}
/// Waits until it is told.
static __device__ inline state told(u64* at) {
    state_words words;
    bool all = false;
    while (!all) {
        all = true;
#pragma unroll
        for (int i = 0; i < told_words; i++) {
            const u64 word = seen(at + i);
            words.at[i] = (u32)word;
            all = all && word >> 32 != 0;
        }
    }
    return __builtin_bit_cast(state, words);
}

/// Tells the total of tile t, and returns what lies before the tile in its row. What is joined with
/// what depends on t alone. A block waits only for tiles whose tickets were taken earlier.
static __device__ inline state before_tile(const scans<source, state>& k, i64 row, u32 t,
                                           const state& total) {
    __shared__ state before[3];
    const i64 groups = (k.tiles + scan_group - 1) / scan_group,
              outer = (groups + scan_group - 1) / scan_group;
    u64* const of_tiles = k.told + 1 + row * (k.tiles + groups + outer) * told_words;
    u64* const of_groups = of_tiles + k.tiles * told_words;
    u64* const of_outer = of_groups + groups * told_words;
    if (threadIdx.x == 0) tell(of_tiles + (i64)t * told_words, total);
    const u32 group = t / scan_group, place = t % scan_group, group_place = group % scan_group,
              lane = threadIdx.x % 32;
    // Threads of three waves, even of 64, so that none waits for what another needs.
    state x[1] = {none(k.of)};
    if (threadIdx.x < place)
        x[0] = told(of_tiles + (i64)(t - place + lane) * told_words);
    else if (threadIdx.x / 32 == 2 && lane < group_place)
        x[0] = told(of_groups + (i64)(group - group_place + lane) * told_words);
    else if (threadIdx.x / 32 == 4 && lane == 31 && group >= scan_group)
        x[0] = told(of_outer + (i64)(group / scan_group) * told_words);
    join_lanes(k.of, x);
    if (threadIdx.x == 31 && place == scan_group - 1)
        tell(of_groups + (i64)group * told_words, joined(k.of, x[0], total));
    if (threadIdx.x % 64 == 31 && threadIdx.x < 192) before[threadIdx.x / 64] = x[0];
    __syncthreads();
    const state so_far = joined(k.of, joined(k.of, before[2], before[1]), before[0]);
    if (threadIdx.x == 0 && place == scan_group - 1 && group_place == scan_group - 1 &&
        t + 1 < k.tiles)
        tell(of_outer + (i64)(group / scan_group + 1) * told_words, joined(k.of, so_far, total));
    return so_far;
}

extern "C" __global__ void SINTER_LAUNCH_BOUNDS(256, 4)
    sinter_scan_tiles(const scans<source, state> k) {
    enum { bytes = sizeof(items) > sizeof(results) ? sizeof(items) : sizeof(results) };
    struct alignas(16) place {
        u8 bytes_of[bytes];
    };
    __shared__ place stage[256 * RUNS];
    __shared__ u64 ticket;
    results* const staged = (results*)stage;
    u32 turn = 0;
    for (u64 block = blockIdx.x; block < (u64)k.rows * k.tiles; block += gridDim.x) {
        u64 row = block;
        u32 t = 0;
        if (k.tiles > 1) {
            if (threadIdx.x == 0) ticket = atomicAdd(k.told, (u64)1);
            __syncthreads();
            row = k.rows == 1 ? 0 : ticket / k.tiles;
            t = (u32)(ticket - row * k.tiles);
        }
        i64 at[2];
        find_row(k.space, row, at);
        const char* const data = k.data + at[0];
        char* const out = k.out + at[1];
        const bool packs = PACKS && whole<results>(out, k.out_step);
        const i64 first = t * tile();
        const u32 size = k.n - first < tile() ? (u32)(k.n - first) : (u32)tile();
        items x[RUNS];
        load_tile(k, data, first, size, (items*)stage, x);
        state before[RUNS];
#pragma unroll
        for (int r = 0; r < RUNS; r++) {
            before[r] = taken(k.of, x[r].at[0], first + taken_at(r));
#pragma unroll
            for (int j = 1; j < EACH; j++)
                before[r] =
                    joined(k.of, before[r], taken(k.of, x[r].at[j], first + taken_at(r) + j));
        }
        const state total = states_before(k.of, before, turn);
        state so_far = none(k.of);
        if (k.tiles > 1) so_far = before_tile(k, (i64)row, t, total);
        char* const to = out + first * k.out_step;
#pragma unroll
        for (int r = 0; r < RUNS; r++) {
            state s = joined(k.of, so_far, before[r]);
            results y;
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                s = joined(k.of, s, taken(k.of, x[r].at[j], first + taken_at(r) + j));
                y.at[j] = result_of(k.of, s);
            }
            if (!packs) {
                staged[r * blockDim.x + threadIdx.x] = y;
            } else if (taken_at(r) + EACH <= size) {
                store_pack(to + taken_at(r) * sizeof(result), y);
            } else {
#pragma unroll
                for (u32 j = 0; j < EACH; j++)
                    if (taken_at(r) + j < size)
                        store(k.of, to + (taken_at(r) + j) * sizeof(result), data, k.step, y.at[j]);
            }
        }
        if (packs) continue;
        __syncthreads();
#pragma unroll
        for (int j = 0; j < RUNS * EACH; j++) {
            const u32 i = j * blockDim.x + threadIdx.x;
            if (i < size) store(k.of, to + i * k.out_step, data, k.step, ((result*)stage)[i]);
        }
        __syncthreads();
    }
}
#endif

}  // namespace sinter::on_gpu
