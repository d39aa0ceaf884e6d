// Medians and modes of sorted rows. Macro definitions: KEY and INDEX, unsigned types.
#pragma once

#include "kernels/slices/rows.cuh"
#include "kernels/sort/key.cuh"

namespace sinter::on_gpu {

// `nan` is the key of NaN, or 0 for a dtype without NaN.
template <class key, class index>
struct medians {
    row_space<2> space;
    i64 rows, n, leave_out;
    u64 nan;
    const key* keys;
    const index* indices;
    char* out;
};

/// A run of equal keys. `end` is the position of its last key.
struct longest {
    i64 length, end;
};

// sinter_find_runs finds the longest run that ends in each of the `parts` of a row, then
// sinter_put_mode finds the longest of each row.
template <class key, class index>
struct modes {
    row_space<2> space;
    i64 rows, n, part, parts, team;
    u64 nan;
    const key* keys;
    const index* indices;
    longest* found;
    char* out;
};

#ifdef SINTER_DEVICE
extern "C" __global__ void __launch_bounds__(256) sinter_put_median(const medians<KEY, INDEX> k) {
    const i64 threads = (i64)gridDim.x * blockDim.x;
    for (i64 row = (i64)blockIdx.x * blockDim.x + threadIdx.x; row < k.rows; row += threads) {
        i64 known = k.n, at[2];
        if (k.nan) known = first_not_below(k.keys + row * k.n, k.n, (KEY)k.nan);
        const bool unknown = known < k.n && (!k.leave_out || known == 0);
        find_row(k.space, (u64)row, at);
        *(i64*)(k.out + at[1]) = (i64)k.indices[row * k.n + (unknown ? known : (known - 1) / 2)];
    }
}

static __device__ inline void take(longest& a, const longest& b) {
    if (b.length > a.length || (b.length == a.length && b.end < a.end)) a = b;
}
// Returns the best run of a team in the team's first thread. `team` is a power of two. All threads
// of the block must call it.
static __device__ inline longest of_team(longest mine, u32 team) {
    __shared__ longest all[256];
    all[threadIdx.x] = mine;
    for (u32 by = team / 2; by > 0; by /= 2) {
        __syncthreads();
        if (threadIdx.x % team < by) take(all[threadIdx.x], all[threadIdx.x + by]);
    }
    __syncthreads();
    mine = all[threadIdx.x];
    __syncthreads();
    return mine;
}
extern "C" __global__ void __launch_bounds__(256) sinter_find_runs(const modes<KEY, INDEX> k) {
    const u32 team = (u32)k.team, t = threadIdx.x % team;
    const i64 together = 256 / team, all = k.rows * k.parts;
    for (i64 first = (i64)blockIdx.x * together; first < all; first += (i64)gridDim.x * together) {
        const i64 at = first + threadIdx.x / team;
        longest best = {0, 0};
        if (at < all) {
            const i64 row = at / k.parts, begin = (at - row * k.parts) * k.part;
            const i64 end = begin + k.part < k.n ? begin + k.part : k.n;
            const KEY* keys = k.keys + row * k.n;
            for (i64 i = begin + t; i < end; i += team) {
                const KEY key = keys[i];
                const bool nan = k.nan && key == (KEY)k.nan;
                if (!nan && i + 1 < k.n && keys[i + 1] == key) continue;
                // Skips runs that are no longer than the best.
                if (best.length > 0 && (nan || i < best.length || keys[i - best.length] != key))
                    continue;
                take(best, {nan ? 1 : i + 1 - first_not_below(keys, i + 1, key), i});
            }
        }
        best = of_team(best, team);
        if (t == 0 && at < all) k.found[at] = best;
    }
}
extern "C" __global__ void __launch_bounds__(256) sinter_put_mode(const modes<KEY, INDEX> k) {
    const u32 team = (u32)k.team, t = threadIdx.x % team, together = 256 / team;
    for (i64 first = (i64)blockIdx.x * together; first < k.rows;
         first += (i64)gridDim.x * together) {
        const i64 row = first + threadIdx.x / team;
        longest best = {0, 0};
        if (row < k.rows)
            for (u32 i = t; i < (u32)k.parts; i += team) take(best, k.found[row * k.parts + i]);
        best = of_team(best, team);
        if (t == 0 && row < k.rows) {
            i64 at[2];
            find_row(k.space, (u64)row, at);
            *(i64*)(k.out + at[1]) = (i64)k.indices[row * k.n + best.end];
        }
    }
}
#endif

}  // namespace sinter::on_gpu
