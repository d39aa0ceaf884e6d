// Counting elements in parts of a range on a GPU.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// The least and the largest element, NaN if there is one.
struct span_of {
    double low, high;
};
/// Throws where `s` is not finite.
void require_finite(const char* op, span_of s);
/// The range to count in, and wider by `margin` to both sides where it is a point.
span_of widened_range(const char* op, span_of s, double margin);

/// What the operations of histogram.hpp do, as their `on_gpu`. Counts are exact; weights are added
/// in an order that follows from the elements alone. They wait where a range is the elements' own.
bool histc_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool edges_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool histogram_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool bincount_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::ordering
