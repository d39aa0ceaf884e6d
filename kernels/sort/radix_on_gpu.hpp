// Stable sorting of long rows on a GPU by the bits of their keys. Its bits do not depend on the
// device.
#pragma once

#include "kernels/sort/sort_on_gpu.hpp"

namespace sinter::ordering {

/// Dense rows of keys, or strided elements that become keys.
struct radix_input {
    on_gpu::row_space<2> space;  // of strided elements, as `of`, `data` and `step`
    on_gpu::elements of;
    int64_t rows, n;
    int bits;  // that may differ between keys, the lowest of them
    const char* data;
    int64_t step;
    const void* keys;
    const void* carried;  // numbers that take the place of the indices, or nullptr
};

/// Returns true if passes over the bits take less time than merges.
bool radix_pays(int64_t rows, int64_t n, int bits);
/// Sorts whole rows. Keys have 4 or 8 bytes, and indices `index_bytes`.
gpu_sorted put_radix_sorted(runtime::gpu_stream& s, const radix_input& in, std::size_t key_bytes,
                            std::size_t index_bytes);

}  // namespace sinter::ordering
