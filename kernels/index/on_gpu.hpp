// Reading and writing through indices on a GPU.
#pragma once

#include "kernels/index/space.hpp"

namespace sinter::index_kernels {

/// What the operations of gather.hpp do, as their `on_gpu`. Waits to learn whether an index is out
/// of range, unless that was checked.
bool gather_on_gpu(const op_call& c, runtime::gpu_stream& s);
/// The same of scatter.hpp: bits are the CPU's.
bool scatter_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::index_kernels
