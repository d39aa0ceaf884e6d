#include "kernels/linalg/integer_product_on_gpu.hpp"

#include "kernels/gpu/kernel_source.hpp"
#include "kernels/linalg/integer_product.cuh"

#include <algorithm>

namespace sinter::embedded {
extern const char linalg_integer_product[];  // integer_product.cuh
}

namespace sinter::blas {
namespace {

constexpr int64_t side = on_gpu::product_side;
constexpr int any = on_gpu::any_length;

const gpu_kernels::kernel_source& kernel() {
    static const gpu_kernels::kernel_source k{
        "linalg_integer_product", embedded::linalg_integer_product, {"sinter_multiply"}};
    return k;
}

/// Returns the factor with `dims` batch dimensions. An added dimension has stride 0.
on_gpu::factor<any, void> factor_of(const operand& o, std::size_t dims) {
    std::vector<int64_t> batch(dims);
    std::copy_n(o.batch_strides, o.batch_dims, batch.begin());
    return {.data = o.data, .row = o.row_stride, .column = o.col_stride, .batch = batch};
}

}  // namespace

bool put_integer_product(const product& p, runtime::gpu_stream& s) {
    const int64_t down = (p.m + side - 1) / side, across = (p.n + side - 1) / side;
    const int64_t blocks = p.batches * down * across;
    const auto dims = static_cast<std::size_t>(std::max(1, p.a.batch_dims));
    std::vector<int64_t> sizes(dims, 1);
    std::copy_n(p.a.batch_sizes, p.a.batch_dims, sizes.begin());
    const gpu_kernels::arguments a(on_gpu::products<any, void>{.blocks = blocks,
                                                               .m = p.m,
                                                               .n = p.n,
                                                               .k = p.k,
                                                               .across = across,
                                                               .down = down,
                                                               .a = factor_of(p.a, dims),
                                                               .b = factor_of(p.b, dims),
                                                               .c = p.out,
                                                               .sizes = sizes});
    if (!a.fit()) return false;
    gpu_kernels::macro_definitions words;
    words.type("T", p.dtype).name("SUM", elementSize(p.dtype) == 8 ? "u64" : "u32");
    words.number("DIMS", static_cast<int64_t>(dims));
    gpu_kernels::put(s, gpu_kernels::kernels_of(s.device(), kernel(), words).front(),
                     gpu_kernels::grid_for(blocks * gpu_kernels::block_threads), a);
    return true;
}

}  // namespace sinter::blas
