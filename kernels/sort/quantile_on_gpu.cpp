#include "kernels/sort/quantile_on_gpu.hpp"

#include "kernels/sort/quantile.cuh"
#include "kernels/sort/quantile.hpp"
#include "kernels/sort/sort_on_gpu.hpp"

namespace sinter::embedded {
extern const char sort_quantile[];  // quantile.cuh
}

namespace sinter::ordering {

bool quantile_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input &input = c.inputs[0], &q = c.inputs[1];
    const auto& how = c.attributes->as<quantile_attributes>();
    const rows::gpu_rows rows({{input.shape, input.dtype}, {&c.shape, c.dtype}}, how.dim);
    if (!rows.fit()) return false;
    const int64_t n = rows.length(0), all = rows.rows() * rows.length(1);
    if (all == 0) return true;
    const gpu_sorted sorted = put_sorted(s, {rows, input.data, input.dtype}, n);
    const auto bytes = static_cast<int64_t>(elementSize(c.dtype));
    const on_gpu::quantiles<void, void> a{
        .space = rows.space<2>(),
        .rows = rows.rows(),
        .n = n,
        .wanted = rows.length(1),
        .how = static_cast<int64_t>(how.how),
        .leave_out = how.ignore_nan,
        .nan = nan_key(input.dtype),
        .keys = sorted.keys.data(),
        .indices = sorted.indices.data(),
        .data = input.data + rows.first(0),
        .q = q.data + q.shape->offset * bytes,
        .out = c.output + rows.first(1),
        .step = rows.step(0),
        .q_step = q.shape->ndim ? q.shape->strides()[0] * bytes : 0,
        .out_step = rows.step(1)};
    static const gpu_kernels::kernel_source text{
        "sort_quantile", embedded::sort_quantile, {"sinter_put_quantiles"}};
    const auto kernels =
        gpu_kernels::kernels_of(s.device(), text, sorted.macro_definitions().type("T", c.dtype));
    gpu_kernels::put(s, kernels.front(), gpu_kernels::grid_for(all), a);
    return true;
}

}  // namespace sinter::ordering
