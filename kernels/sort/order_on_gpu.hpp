// The order of the elements of rows, on a GPU.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// What the operations of order.hpp do, as their `on_gpu`. They wait for nothing.
bool order_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool median_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool mode_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::ordering
