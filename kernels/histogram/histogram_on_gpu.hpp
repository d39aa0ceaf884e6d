// Histograms and counts on a GPU.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// The least and the largest element; NaN if an element is NaN.
struct span_of {
    double low, high;
};
/// Throws Error if `s` is not finite.
void require_finite(const char* op, span_of s);
/// Returns `s`, widened by `margin` on both sides if it is a single point. Throws Error if it is
/// not finite.
span_of widened_range(const char* op, span_of s, double margin);

/// The `on_gpu` of the operations of histogram.hpp. Counts are exact. Weights are added in an order
/// that depends on the elements only. The functions wait only if the range is that of the elements.
bool histc_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool edges_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool histogram_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool bincount_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::ordering
