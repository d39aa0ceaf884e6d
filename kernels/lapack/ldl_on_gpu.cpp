#include "kernels/lapack/ldl_on_gpu.hpp"

#include "kernels/gpu/kernel_source.hpp"

namespace sinter::embedded {
extern const char lapack_ldl[];  // ldl.cuh
}

namespace sinter::lapack {
namespace {

enum : std::size_t { info_kernel, solve_kernel };

const runtime::gpu_kernel& kernel_of(const runtime::gpu& g, ScalarType dtype, bool hermitian,
                                     std::size_t which) {
    static const gpu_kernels::kernel_source text{
        "lapack_ldl", embedded::lapack_ldl, {"sinter_ldl_info", "sinter_ldl_solve"}};
    gpu_kernels::macro_definitions words;
    words.type("T", dtype).number("HERMITIAN", hermitian ? 1 : 0);
    return gpu_kernels::kernels_of(g, text, words)[which];
}

runtime::launch_shape blocks(int64_t count) {
    runtime::launch_shape grid = gpu_kernels::grid_for(count * gpu_kernels::block_threads);
    grid.threads = on_gpu::ldl_threads;
    return grid;
}

}  // namespace

void put_ldl_info(runtime::gpu_stream& s, ScalarType dtype, const on_gpu::ldl_codes<void>& codes) {
    gpu_kernels::put(s, kernel_of(s.device(), dtype, false, info_kernel), blocks(codes.of.count),
                     codes);
}

void put_ldl_solved(runtime::gpu_stream& s, ScalarType dtype, bool hermitian,
                    const on_gpu::ldl_systems<void>& systems) {
    gpu_kernels::put(s, kernel_of(s.device(), dtype, hermitian, solve_kernel),
                     blocks(systems.of.count * systems.columns), systems);
}

}  // namespace sinter::lapack
