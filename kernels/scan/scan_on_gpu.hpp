// Scans on a GPU. Rows of at most `serial_elements`, and many rows side by side, are a thread each,
// which takes elements in order. Other rows go tile by tile, long ones in parts that are scanned at
// once: who joins what follows from sizes alone.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::scan {

/// What the operations of scan.hpp do, as their `on_gpu`. They wait for nothing.
bool cumsum_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool cumprod_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool cummax_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool cummin_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool logcumsumexp_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::scan
