#include "kernels/index/on_gpu.hpp"

#include "kernels/gpu/scratch.hpp"
#include "kernels/index/space_on_gpu.hpp"
#include "runtime/device/transfer.hpp"

namespace sinter::embedded {
extern const char index_gather[];  // gather.cuh
}

namespace sinter::index_kernels {

using gpu_kernels::scratch;

bool gather_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const auto indices = c.inputs.subspan(1);
    const auto& l = c.attributes->as<layout>();
    loops space(l, const_cast<char*>(c.inputs[0].data), *c.inputs[0].shape, c.output, c.shape,
                c.dtype, indices);
    std::size_t bytes = elementSize(c.dtype);
    // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): elements have a dtype
    if (bytes < 16 && space.widen(static_cast<int64_t>(bytes), static_cast<int64_t>(16 / bytes)))
        bytes = 16;
    const scratch outside(s, space.indices() * sizeof(uint64_t));
    const gpu_kernels::arguments a(arguments_of(space, outside.as<uint64_t>()));
    if (!a.fit()) return false;
    // The indices of an empty space may still be out of range.
    if (space.total() == 0 && !c.checked) check_range_on_gpu(c, l, *c.inputs[0].shape, indices);
    if (space.total() == 0) return true;
    static const gpu_kernels::kernel_source text{
        "index_gather", embedded::index_gather, {"sinter_gather"}};
    const runtime::gpu_kernel& k =
        gpu_kernels::kernels_of(s.device(), text,
                                macros_of(space, l.wraps).name("T", gpu_kernels::bits_name(bytes)))
            .front();
    if (!c.checked) runtime::put_fill(s, outside.data(), 0xff, space.indices() * sizeof(uint64_t));
    gpu_kernels::put(s, k, gpu_kernels::grid_for(space.total()), a);
    if (!c.checked) throw_outside_on_gpu(c, s, l, *c.inputs[0].shape, space, outside.data());
    return true;
}

}  // namespace sinter::index_kernels
