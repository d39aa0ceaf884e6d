#include "kernels/slices/rows_on_gpu.hpp"
#include "kernels/special/polygamma.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sinter::zeta {
namespace {

// The algorithm is that of polygamma.cpp.
constexpr const char* polygamma_text = R"(
static __device__ inline f64 inverse_power(f64 x, i64 s) {
    f64 result = 1, square = x;
    for (i64 n = s; n > 0; n >>= 1) {
        if (n & 1) result *= square;
        square *= square;
    }
    return 1 / result;
}
static __device__ inline f64 zeta_right(i64 s, f64 q) {
    const f64 factors[12] = {1.0 / 12,
                             -1.0 / 720,
                             1.0 / 30240,
                             -1.0 / 1209600,
                             1.0 / 47900160,
                             -691.0 / 1307674368000.0,
                             1.0 / 74724249600.0,
                             -3617.0 / 10670622842880000.0,
                             43867.0 / 5109094217170944000.0,
                             -174611.0 / 802857662698291200000.0,
                             77683.0 / 14101100039391805440000.0,
                             -236364091.0 / 1693824136731743669452800000.0};
    f64 sum = 0, a = q;
    for (; a < 12 || a < (f64)s; a += 1) {
        const f64 term = inverse_power(a, s);
        sum += term;
        if (term < sum * 0x1p-60) return sum;
    }
    const f64 power = inverse_power(a, s), order = (f64)s;
    sum += power * a / (order - 1) + 0.5 * power;
    f64 rising = order * power / a;
    for (int k = 0; k < 12; k++) {
        const f64 term = factors[k] * rising;
        sum += term;
        if (fabs(term) < fabs(sum) * 0x1p-56) break;
        const f64 step = order + 2.0 * k;
        rising *= (step + 1) * (step + 2) / (a * a);
    }
    return sum;
}
static __device__ inline f64 hurwitz_zeta(i64 s, f64 q) {
    const f64 infinity = (f64)__int_as_float(0x7f800000);
    if (q > 0) return q == infinity ? 0 : zeta_right(s, q);
    const f64 whole = floor(q), rest = q - whole;
    if (!(rest > 0)) return infinity;
    f64 parts[3];
#pragma unroll 1
    for (int i = 0; i < 3; i++) parts[i] = zeta_right(s, i == 0 ? rest : i == 1 ? 1 - rest : 1 - q);
    const f64 sign = s % 2 ? -1 : 1;
    return parts[0] + sign * (parts[1] - parts[2]);
}
struct polygammas {
    row_space space;
    i64 rows, n, step, out_step, order;
    f64 factorial;
    const char* data;
    char* out;
};
extern "C" __global__ void __launch_bounds__(256) sinter_polygamma(const polygammas k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.n;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        const i64 row = t / k.n, i = t - row * k.n;
        i64 at[2];
        find_row(k.space, (u64)row, at);
        const f64 x = (f64)*(const T*)(k.data + at[0] + i * k.step);
        f64 y = x;
        if (x == x) {
            y = k.factorial * hurwitz_zeta(k.order + 1, x);
            if (k.order % 2 == 0) y = -y;
        }
        *(T*)(k.out + at[1] + i * k.out_step) = (T)y;
    }
}
)";

const gpu_kernels::written& polygamma_kernel() {
    static const gpu_kernels::written k{std::string(rows::row_space_text) + polygamma_text,
                                        {"sinter_polygamma"}};
    return k;
}

}  // namespace

bool polygamma_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input& in = c.inputs[0];
    const rows::gpu_rows rows({{in.shape, in.dtype}, {&c.shape, c.dtype}},
                              std::max(0, in.shape->ndim - 1));
    if (!rows.fit()) return false;
    const int64_t all = rows.rows() * rows.length(0);
    const int64_t order = c.attributes->as<polygamma_attributes>().order;
    if (all == 0) return true;
    gpu_kernels::arguments a = rows.arguments();
    a.add(rows.rows()).add(rows.length(0)).add(rows.step(0)).add(rows.step(1)).add(order);
    a.add(std::bit_cast<uint64_t>(std::tgamma(static_cast<double>(order) + 1)));
    a.add(in.data + rows.first(0)).add(c.output + rows.first(1));
    gpu_kernels::put(
        s,
        gpu_kernels::kernels_of(s.device(), polygamma_kernel(), rows.meanings().type("T", c.dtype))
            .front(),
        gpu_kernels::grid_for(all), a);
    return true;
}

}  // namespace sinter::zeta
