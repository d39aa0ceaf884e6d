#include "kernels/slices/rows_on_gpu.hpp"
#include "kernels/special/polygamma.cuh"
#include "kernels/special/polygamma.hpp"

#include <algorithm>
#include <cmath>

namespace sinter::embedded {
extern const char special_polygamma[];  // polygamma.cuh
}

namespace sinter::zeta {

bool polygamma_on_gpu(const op_call& c, runtime::gpu_stream& s) {
    const op_input& in = c.inputs[0];
    const rows::gpu_rows rows({{in.shape, in.dtype}, {&c.shape, c.dtype}},
                              std::max(0, in.shape->ndim - 1));
    if (!rows.fit()) return false;
    const int64_t all = rows.rows() * rows.length(0);
    const int64_t order = c.attributes->as<polygamma_attributes>().order;
    if (all == 0) return true;
    const on_gpu::polygammas a{.space = rows.space<2>(),
                               .rows = rows.rows(),
                               .n = rows.length(0),
                               .step = rows.step(0),
                               .out_step = rows.step(1),
                               .order = order,
                               .factorial = std::tgamma(static_cast<double>(order) + 1),
                               .data = in.data + rows.first(0),
                               .out = c.output + rows.first(1)};
    static const gpu_kernels::kernel_source text{
        "special_polygamma", embedded::special_polygamma, {"sinter_polygamma"}};
    gpu_kernels::macro_definitions words;
    words.type("T", c.dtype);
    gpu_kernels::put(s, gpu_kernels::kernels_of(s.device(), text, words).front(),
                     gpu_kernels::grid_for(all), a);
    return true;
}

}  // namespace sinter::zeta
