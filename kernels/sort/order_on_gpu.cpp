#include "kernels/sort/order_on_gpu.hpp"

#include "kernels/sort/sort_on_gpu.hpp"

namespace sinter::ordering {

bool order_on_gpu(const library_call& c, runtime::gpu_stream& s) {
    const library_input& input = c.inputs[0];
    const rows::gpu_rows rows({{input.shape, input.dtype}, {&c.shape, c.dtype}},
                              c.numbers[0].toLong());
    if (!rows.fit()) return false;
    put_order(s, {rows, input.data, input.dtype, c.numbers[1].toBool()}, c.numbers[2].toLong(),
              rows.length(1), c.output);
    return true;
}

}  // namespace sinter::ordering
