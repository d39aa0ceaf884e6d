#include "kernels/index/on_gpu.hpp"

#include "kernels/index/space_on_gpu.hpp"

namespace sinter::embedded {
extern const char index_gather[];  // gather.cuh
}

namespace sinter::index_kernels {

bool gather_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const auto indices = c.inputs.subspan(1);
    const auto& l = c.attributes->as<layout>();
    loops space(l, const_cast<char*>(c.inputs[0].data), *c.inputs[0].shape, c.output, c.shape,
                c.dtype, indices);
    std::size_t bytes = elementSize(c.dtype);
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): elements have a dtype
    if (bytes < 16 && space.widen(static_cast<int64_t>(bytes), static_cast<int64_t>(16 / bytes)))
        bytes = 16;
    if (space.total() == 0) {
        // The indices of an empty space may still be out of range.
        check_range_on_gpu(c, l, *c.inputs[0].shape, indices);
        return true;
    }
    const range_test test(s, space.indices());
    const gpu_kernels::arguments a(arguments_of(space, test.words()));
    if (!a.fit()) return false;
    static const gpu_kernels::kernel_source text{
        "index_gather", embedded::index_gather, {"sinter_gather"}};
    const runtime::gpu_kernel& k =
        gpu_kernels::kernels_of(s.device(), text,
                                macros_of(space, l.wraps).name("T", gpu_kernels::bits_name(bytes)))
            .front();
    gpu_kernels::put(s, k, gpu_kernels::grid_for(space.total()), a);
    test.put(c, l, *c.inputs[0].shape);
    return true;
}

}  // namespace sinter::index_kernels
