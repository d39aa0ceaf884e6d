#include "kernels/sort/quantile_on_gpu.hpp"

#include "kernels/sort/quantile.hpp"
#include "kernels/sort/sort_on_gpu.hpp"
#include "kernels/sort/sort_text.hpp"

namespace sinter::ordering {
namespace {

// The algorithm is that of quantile.cpp; `how` is the interpolation.
constexpr const char* quantile_text = R"(
static __device__ inline f32 down(f32 x) { return floorf(x); }
static __device__ inline f64 down(f64 x) { return floor(x); }
static __device__ inline f32 up(f32 x) { return ceilf(x); }
static __device__ inline f64 up(f64 x) { return ceil(x); }
static __device__ inline f32 nearest(f32 x) { return rintf(x); }
static __device__ inline f64 nearest(f64 x) { return rint(x); }
static __device__ inline T between(T a, T b, T weight) {
    return weight < (T)0.5 ? a + weight * (b - a) : b - (b - a) * ((T)1 - weight);
}
struct quantiles {
    row_space space;
    i64 rows, n, wanted, how, leave_out;
    u64 nan;
    const KEY* keys;
    const INDEX* indices;
    const char *data, *q;
    char* out;
    i64 step, q_step, out_step;
};
extern "C" __global__ void __launch_bounds__(256) sinter_put_quantiles(const quantiles k) {
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
)";

const gpu_kernels::written& quantile_kernel() {
    static const gpu_kernels::written k{
        std::string(rows::row_space_text) + key_text + quantile_text, {"sinter_put_quantiles"}};
    return k;
}

}  // namespace

bool quantile_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input &input = c.inputs[0], &q = c.inputs[1];
    const auto& how = c.attributes->as<quantile_attributes>();
    const rows::gpu_rows rows({{input.shape, input.dtype}, {&c.shape, c.dtype}}, how.dim);
    if (!rows.fit()) return false;
    const int64_t n = rows.length(0), all = rows.rows() * rows.length(1);
    if (all == 0) return true;
    const gpu_sorted sorted = put_sorted(s, {rows, input.data, input.dtype}, n);
    const auto bytes = static_cast<int64_t>(elementSize(c.dtype));
    gpu_kernels::arguments a = rows.arguments();
    a.add(rows.rows()).add(n).add(rows.length(1)).add(static_cast<int64_t>(how.how));
    a.add(how.ignore_nan).add(nan_key(input.dtype));
    a.add(sorted.keys.data()).add(sorted.indices.data());
    a.add(input.data + rows.first(0)).add(q.data + q.shape->offset * bytes);
    a.add(c.output + rows.first(1)).add(rows.step(0));
    a.add(q.shape->ndim ? q.shape->strides()[0] * bytes : 0).add(rows.step(1));
    gpu_kernels::put(
        s,
        gpu_kernels::kernels_of(s.device(), quantile_kernel(), sorted.meanings().type("T", c.dtype))
            .front(),
        gpu_kernels::grid_for(all), a);
    return true;
}

}  // namespace sinter::ordering
