// The order of the elements of rows, on a GPU.
#pragma once

#include "jit/graph/graph.hpp"

namespace sinter::ordering {

/// What the operation of order.hpp does, as its `on_gpu`. Waits for nothing.
bool order_on_gpu(const library_call& c, runtime::gpu_stream& s);

}  // namespace sinter::ordering
