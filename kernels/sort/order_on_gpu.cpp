#include "kernels/sort/order_on_gpu.hpp"

#include "kernels/sort/order.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "kernels/sort/sort_text.hpp"

#include <algorithm>
#include <bit>

namespace sinter::ordering {
namespace {

using gpu_kernels::arguments, gpu_kernels::scratch, gpu_kernels::written;

constexpr const char* median_text = R"(
struct medians {
    row_space space;
    i64 rows, n, leave_out;
    u64 nan;
    const KEY* keys;
    const INDEX* indices;
    char* out;
};
extern "C" __global__ void __launch_bounds__(256) sinter_put_median(const medians k) {
    const i64 threads = (i64)gridDim.x * blockDim.x;
    for (i64 row = (i64)blockIdx.x * blockDim.x + threadIdx.x; row < k.rows; row += threads) {
        i64 known = k.n, at[2];
        if (k.nan) known = first_not_below(k.keys + row * k.n, k.n, (KEY)k.nan);
        const bool unknown = known < k.n && (!k.leave_out || known == 0);
        find_row(k.space, (u64)row, at);
        *(i64*)(k.out + at[1]) = (i64)k.indices[row * k.n + (unknown ? known : (known - 1) / 2)];
    }
}
)";

// Finds the longest run of equal keys that ends in each part of a row, then in each row.
constexpr const char* mode_text = R"(
struct longest { i64 length, end; };
struct modes {
    row_space space;
    i64 rows, n, part, parts, team;
    u64 nan;
    const KEY* keys;
    const INDEX* indices;
    longest* found;
    char* out;
};
static __device__ inline void take(longest& a, const longest& b) {
    if (b.length > a.length || (b.length == a.length && b.end < a.end)) a = b;
}
// Of a team, a power of two of threads: in its first one.
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
extern "C" __global__ void __launch_bounds__(256) sinter_find_runs(const modes k) {
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
                // A run as long as the best begins before it.
                if (best.length > 0 && (nan || i < best.length || keys[i - best.length] != key))
                    continue;
                take(best, {nan ? 1 : i + 1 - first_not_below(keys, i + 1, key), i});
            }
        }
        best = of_team(best, team);
        if (t == 0 && at < all) k.found[at] = best;
    }
}
extern "C" __global__ void __launch_bounds__(256) sinter_put_mode(const modes k) {
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
)";

const written& median_kernel() {
    static const written k{std::string(rows::row_space_text) + key_text + median_text,
                           {"sinter_put_median"}};
    return k;
}

const written& mode_kernels() {
    static const written k{std::string(rows::row_space_text) + key_text + mode_text,
                           {"sinter_find_runs", "sinter_put_mode"}};
    return k;
}

rows::gpu_rows rows_of(const op_call& c, int64_t dim) {
    return {{{c.inputs[0].shape, c.inputs[0].dtype}, {&c.shape, c.dtype}}, dim};
}

/// Returns the number of threads for a row of `n` items.
int64_t team_for(int64_t n) {
    return static_cast<int64_t>(
        std::bit_ceil(static_cast<uint64_t>(std::clamp<int64_t>(n / 8, 1, 256))));
}

void put_rows(runtime::gpu_stream& s, const runtime::gpu_kernel& k, int64_t rows, int64_t team,
              const arguments& a) {
    gpu_kernels::put(s, k, gpu_kernels::grid_for(rows * team), a);
}

}  // namespace

bool order_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input& input = c.inputs[0];
    const auto& how = c.attributes->as<order_attributes>();
    const rows::gpu_rows rows = rows_of(c, how.dim);
    if (!rows.fit()) return false;
    put_order(s, {rows, input.data, input.dtype, how.descending}, how.first, rows.length(1),
              c.output);
    return true;
}

bool median_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input& input = c.inputs[0];
    const auto& how = c.attributes->as<median_attributes>();
    const rows::gpu_rows rows = rows_of(c, how.dim);
    if (!rows.fit()) return false;
    if (rows.rows() == 0) return true;
    const int64_t n = rows.length(0);
    const gpu_sorted sorted = put_sorted(s, {rows, input.data, input.dtype}, n);
    arguments a = rows.arguments();
    a.add(rows.rows()).add(n).add(how.ignore_nan).add(nan_key(input.dtype));
    a.add(sorted.keys.data()).add(sorted.indices.data()).add(c.output + rows.first(1));
    put_rows(s, gpu_kernels::kernels_of(s.device(), median_kernel(), sorted.meanings()).front(),
             rows.rows(), 1, a);
    return true;
}

bool mode_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input& input = c.inputs[0];
    const rows::gpu_rows rows = rows_of(c, c.attributes->as<mode_attributes>().dim);
    if (!rows.fit()) return false;
    if (rows.rows() == 0) return true;
    const int64_t n = rows.length(0), parts = std::clamp<int64_t>(n / 8192, 1, 1024);
    const gpu_sorted sorted = put_sorted(s, {rows, input.data, input.dtype}, n);
    const scratch found(s, static_cast<std::size_t>(rows.rows() * parts) * 2 * sizeof(int64_t));
    const auto kernels = gpu_kernels::kernels_of(s.device(), mode_kernels(), sorted.meanings());
    const auto put = [&](std::size_t kernel, int64_t teams, int64_t team) {
        arguments a = rows.arguments();
        a.add(rows.rows())
            .add(n)
            .add((n + parts - 1) / parts)
            .add(parts)
            .add(team)
            .add(nan_key(input.dtype));
        a.add(sorted.keys.data()).add(sorted.indices.data()).add(found.data());
        a.add(c.output + rows.first(1));
        put_rows(s, kernels[kernel], teams, team, a);
    };
    put(0, rows.rows() * parts, team_for(n / parts));
    put(1, rows.rows(), team_for(parts));
    return true;
}

}  // namespace sinter::ordering
