// Quantiles of rows on a GPU.
#pragma once

#include "engine/graph/graph.hpp"

namespace sinter::ordering {

/// What quantile_op does, as its `on_gpu`. Waits for nothing.
bool quantile_on_gpu(const library_call& c, runtime::gpu_stream& s);

}  // namespace sinter::ordering
