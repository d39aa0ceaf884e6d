// Searching in sorted rows on a GPU.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::ordering {

/// Throws that a sorter has an index that no row has.
[[noreturn]] void bad_sorter(int64_t index, int64_t n);

/// What the operations of search.hpp do, as their `on_gpu`. They wait only to learn whether a
/// sorter's indices are those of its rows.
bool searchsorted_on_gpu(const op_call& c, runtime::gpu_stream& s);
bool isin_on_gpu(const op_call& c, runtime::gpu_stream& s);

}  // namespace sinter::ordering
