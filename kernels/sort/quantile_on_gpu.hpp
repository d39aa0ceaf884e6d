// Quantiles of rows on a GPU.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// `quantile_op.on_gpu`. Waits for nothing.
bool quantile_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::ordering
