// Reading and writing through indices on a GPU.
#pragma once

#include "kernels/index/space.hpp"

namespace sinter::index_kernels {

/// The `on_gpu` of the operations of gather.hpp. Waits to learn if an index is out of range, unless
/// that was checked.
bool gather_on_gpu(const op_call& c, runtime::gpu_stream& s);
/// The `on_gpu` of the operations of scatter.hpp. The bits are the same as on the CPU.
bool scatter_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::index_kernels
