// Searches in sorted rows on a GPU.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// Throws IndexError: a sorter has the out-of-range index `index` for rows of `n` elements.
[[noreturn]] void bad_sorter(int64_t index, int64_t n);

/// The `on_gpu` of the operations of search.hpp. They wait only to check the indices of a sorter.
bool searchsorted_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool isin_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::ordering
