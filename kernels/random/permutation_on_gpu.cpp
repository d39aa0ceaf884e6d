#include "kernels/gpu/kernel_source.hpp"
#include "kernels/gpu/scratch.hpp"
#include "kernels/random/permutation.cuh"
#include "kernels/random/permutation.hpp"
#include "kernels/sort/sort_on_gpu.hpp"

#include <bit>
#include <limits>

namespace sinter::embedded {
extern const char random_permutation[];  // permutation.cuh
}

namespace sinter::random_kernels {

using gpu_kernels::scratch;

bool permutation_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const int64_t n = c.shape.numel;
    if (n > std::numeric_limits<uint32_t>::max()) return false;
    if (n == 0) return true;
    static const gpu_kernels::kernel_source text{
        "random_permutation",
        embedded::random_permutation,
        {"sinter_name_places", "sinter_link_steps", "sinter_put_permutation"}};
    const auto kernels = gpu_kernels::kernels_of(
        s.device(), text, gpu_kernels::macro_definitions().type("T", c.dtype));
    const auto bytes = static_cast<std::size_t>(n) * sizeof(uint32_t);
    const scratch places(s, bytes), links(s, bytes);
    const op_input& words = c.inputs[0];
    on_gpu::permutation<void> a{
        .n = n,
        .words = reinterpret_cast<const uint64_t*>(words.data) + words.shape->offset,
        .places = places.as<uint32_t>(),
        .links = links.as<uint32_t>(),
        .sorted = nullptr,
        .steps = nullptr,
        .out = c.output};
    const runtime::launch_shape grid = gpu_kernels::grid_for(n);
    gpu_kernels::put(s, kernels[0], grid, a);
    const auto bits = static_cast<int>(std::bit_width(static_cast<uint64_t>(n - 1)));
    const ordering::gpu_sorted sorted =
        ordering::put_sorted(s, places, sizeof(uint32_t), bits, 1, n);
    a.sorted = sorted.keys.as<uint32_t>();
    a.steps = sorted.indices.as<uint32_t>();
    gpu_kernels::put(s, kernels[1], grid, a);
    gpu_kernels::put(s, kernels[2], grid, a);
    return true;
}

}  // namespace sinter::random_kernels
