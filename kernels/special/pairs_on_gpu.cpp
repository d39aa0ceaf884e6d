#include "kernels/rows/rows_on_gpu.hpp"
#include "kernels/special/pairs.hpp"

#include <algorithm>
#include <string>

namespace sinter::special_pairs {
namespace {

constexpr const char* names_text = R"(
#define SHARED static __device__ inline
SHARED f64 infinity() { return (f64)__int_as_float(0x7f800000); }
SHARED f64 not_a_number() { return (f64)__int_as_float(0x7fc00000); }
)";

#define SINTER_BOTH(...) #__VA_ARGS__
constexpr const char* functions_text =
#include "kernels/special/pairs_text.hpp"
    ;
#undef SINTER_BOTH

constexpr const char* kernel_text = R"(
struct pairs {
    row_space space;
    i64 rows, n, a_step, b_step, out_step;
    const char *a, *b;
    char* out;
};
extern "C" __global__ void __launch_bounds__(256) sinter_special_pairs(const pairs k) {
    const i64 threads = (i64)gridDim.x * blockDim.x, all = k.rows * k.n;
    for (i64 t = (i64)blockIdx.x * blockDim.x + threadIdx.x; t < all; t += threads) {
        const i64 row = t / k.n, i = t - row * k.n;
        i64 at[3];
        find_row(k.space, (u64)row, at);
        const f64 a = (f64)*(const T*)(k.a + at[0] + i * k.a_step);
        const f64 b = (f64)*(const T*)(k.b + at[1] + i * k.b_step);
        *(T*)(k.out + at[2] + i * k.out_step) = (T)FUNCTION(a, b);
    }
}
)";

const gpu_kernels::written& kernel() {
    static const gpu_kernels::written k{
        std::string(rows::row_space_text) + names_text + functions_text + kernel_text,
        {"sinter_special_pairs"}};
    return k;
}

}  // namespace

bool on_gpu(const library_call& c, runtime::gpu_stream& s) {
    const library_input &a = c.inputs[0], &b = c.inputs[1];
    const rows::gpu_rows rows({{a.shape, a.dtype}, {b.shape, b.dtype}, {&c.shape, c.dtype}},
                              std::max(0, c.shape.ndim - 1));
    if (!rows.fit()) return false;
    const int64_t all = rows.rows() * rows.length(0);
    if (all == 0) return true;
    gpu_kernels::arguments with = rows.arguments();
    with.add(rows.rows()).add(rows.length(0)).add(rows.step(0)).add(rows.step(1)).add(rows.step(2));
    with.add(a.data + rows.first(0)).add(b.data + rows.first(1)).add(c.output + rows.first(2));
    gpu_kernels::meanings words = rows.meanings();
    words.type("T", c.dtype).name("FUNCTION", c.op.name);
    gpu_kernels::put(s, gpu_kernels::kernels_of(s.device(), kernel(), words).front(),
                     gpu_kernels::grid_for(all), with);
    return true;
}

}  // namespace sinter::special_pairs
