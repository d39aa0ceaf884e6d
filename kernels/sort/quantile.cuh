// Quantiles of sorted rows. The algorithm is that of quantile.cpp. Macro definitions: KEY and INDEX
// (unsigned types) and T (f32 or f64).
#pragma once

#include "kernels/slices/rows.cuh"
#include "kernels/sort/key.cuh"

namespace sinter::on_gpu {

// `how` is the interpolation of quantile.cpp.
template <class key, class index>
struct quantiles {
    row_space<2> space;
    i64 rows, n, wanted, how, leave_out;
    u64 nan;
    const key* keys;
    const index* indices;
    const char *data, *q;
    char* out;
    i64 step, q_step, out_step;
};

#ifdef SINTER_DEVICE
static __device__ inline f32 down(f32 x) { return floorf(x); }
static __device__ inline f64 down(f64 x) { return floor(x); }
static __device__ inline f32 up(f32 x) { return ceilf(x); }
static __device__ inline f64 up(f64 x) { return ceil(x); }
static __device__ inline f32 nearest(f32 x) { return rintf(x); }
static __device__ inline f64 nearest(f64 x) { return rint(x); }
static __device__ inline T between(T a, T b, T weight) {
    return weight < (T)0.5 ? a + weight * (b - a) : b - (b - a) * ((T)1 - weight);
}
extern "C" __global__ void __launch_bounds__(256)
    sinter_put_quantiles(const quantiles<KEY, INDEX> k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.wanted;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        const i64 row = t / k.wanted, i = t % k.wanted;
        const i64 known = first_not_below(k.keys + row * k.n, k.n, (KEY)k.nan);
        i64 count = k.n, at[2];
        if (k.leave_out) count = known > 1 ? known : 1;
        const T last = (T)(count - 1);
        const bool unknown = known < k.n && !k.leave_out;
        const T rank = unknown ? last : *(const T*)(k.q + i * k.q_step) * last;
        find_row(k.space, (u64)row, at);
        const auto element = [&](T place) {
            return *(const T*)(k.data + at[0] + (i64)k.indices[row * k.n + (i64)place] * k.step);
        };
        T x;
        switch ((int)k.how) {
            case 1: x = element(down(rank)); break;
            case 2: x = element(up(rank)); break;
            case 3: x = between(element(down(rank)), element(up(rank)), (T)0.5); break;
            case 4: x = element(nearest(rank)); break;
            default: x = between(element(down(rank)), element(up(rank)), rank - down(rank));
        }
        *(T*)(k.out + at[1] + i * k.out_step) = x;
    }
}
#endif

}  // namespace sinter::on_gpu
