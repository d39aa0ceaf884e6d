// The order of the elements in rows, on a GPU.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// The `on_gpu` of the operations of order.hpp. They wait for nothing.
bool order_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool sorted_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool median_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool mode_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::ordering
