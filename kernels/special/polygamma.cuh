// Derivatives of the digamma function. Macro definition: T, f32 or f64.
#pragma once

#include "kernels/slices/rows.cuh"
#include "kernels/special/hurwitz_zeta.cuh"

namespace sinter::on_gpu {

struct polygammas {
    row_space<2> space;
    i64 rows, n, step, out_step, order;
    f64 factorial;
    const char* data;
    char* out;
};

#ifdef SINTER_DEVICE
extern "C" __global__ void __launch_bounds__(256) sinter_polygamma(const polygammas k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.n;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        const i64 row = t / k.n, i = t - row * k.n;
        i64 at[2];
        find_row(k.space, (u64)row, at);
        const f64 x = (f64) * (const T*)(k.data + at[0] + i * k.step);
        *(T*)(k.out + at[1] + i * k.out_step) = (T)polygamma(k.order, k.factorial, x);
    }
}
#endif

}  // namespace sinter::on_gpu
