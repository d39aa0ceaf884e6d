#include "kernels/linalg/integer_product_on_gpu.hpp"

#include "kernels/gpu/written.hpp"

#include <algorithm>

namespace sinter::blas {
namespace {

// A block computes 64 by 64 elements of the result, a thread 4 by 4 of them, 16 apart. Integers
// wrap, so unsigned sums of any width not below the element's are correct.
constexpr int64_t side = 64;

constexpr const char* text = R"(
struct factor { const T* data; i64 row, column, batch[DIMS]; };
struct products { i64 blocks, m, n, k, across, down; factor a, b; T* c; i64 sizes[DIMS]; };
extern "C" __global__ void __launch_bounds__(256) sinter_multiply(const products p) {
    __shared__ SUM of_a[16][65], of_b[16][65];
    const u32 t = threadIdx.x, x = t % 16, y = t / 16;
    for (i64 block = blockIdx.x; block < p.blocks; block += gridDim.x) {
        const i64 tile = block / p.across, batch = tile / p.down;
        const i64 row = (tile - batch * p.down) * 64, column = (block - tile * p.across) * 64;
        const T *a = p.a.data, *b = p.b.data;
        i64 rest = batch;
        for (int d = DIMS - 1; d >= 0; d--) {
            const i64 outer = rest / p.sizes[d], at = rest - outer * p.sizes[d];
            a += at * p.a.batch[d];
            b += at * p.b.batch[d];
            rest = outer;
        }
        SUM sums[4][4] = {};
        for (i64 first = 0; first < p.k; first += 16) {
            // Neighbouring threads read along the dimension that is dense, if one is.
            for (u32 i = t; i < 16 * 64; i += 256) {
                const bool wide = p.a.column != 1;
                const u32 r = wide ? i % 64 : i / 16, c = wide ? i / 64 : i % 16;
                of_a[c][r] = row + r < p.m && first + c < p.k
                    ? (SUM)a[(row + r) * p.a.row + (first + c) * p.a.column] : 0;
            }
            for (u32 i = t; i < 16 * 64; i += 256) {
                const bool wide = p.b.row != 1;
                const u32 c = wide ? i % 64 : i / 16, r = wide ? i / 64 : i % 16;
                of_b[r][c] = column + c < p.n && first + r < p.k
                    ? (SUM)b[(first + r) * p.b.row + (column + c) * p.b.column] : 0;
            }
            __syncthreads();
#pragma unroll
            for (int k = 0; k < 16; k++)
#pragma unroll
                for (int i = 0; i < 4; i++)
#pragma unroll
                    for (int j = 0; j < 4; j++) sums[i][j] += of_a[k][y + 16 * i] * of_b[k][x + 16 * j];
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (row + y + 16 * i < p.m && column + x + 16 * j < p.n)
                    p.c[(batch * p.m + row + y + 16 * i) * p.n + column + x + 16 * j] = (T)sums[i][j];
    }
}
)";

const gpu_kernels::written& kernel() {
    static const gpu_kernels::written k{text, {"sinter_multiply"}};
    return k;
}

}  // namespace

bool put_integer_product(const product& p, runtime::gpu_stream& s) {
    const int64_t down = (p.m + side - 1) / side, across = (p.n + side - 1) / side;
    const int64_t blocks = p.batches * down * across;
    const auto dims = static_cast<std::size_t>(std::max(1, p.a.batch_dims));
    gpu_kernels::arguments a;
    a.add(blocks).add(p.m).add(p.n).add(p.k).add(across).add(down);
    for (const operand* o : {&p.a, &p.b}) {
        a.add(o->data).add(o->row_stride).add(o->col_stride);
        if (o->batch_dims == 0)
            a.add(0);
        else
            a.add({o->batch_strides, dims});
    }
    a.add(p.out);
    if (p.a.batch_dims == 0)
        a.add(1);
    else
        a.add({p.a.batch_sizes, dims});
    if (!a.fit()) return false;
    gpu_kernels::meanings words;
    words.type("T", p.dtype).name("SUM", p.dtype == kLong ? "u64" : "u32");
    words.number("DIMS", static_cast<int64_t>(dims));
    gpu_kernels::put(s, gpu_kernels::kernels_of(s.device(), kernel(), words).front(),
                     gpu_kernels::grid_for(blocks * gpu_kernels::block_threads), a);
    return true;
}

}  // namespace sinter::blas
