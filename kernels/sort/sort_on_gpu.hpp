// Stable sorting on a GPU: tiles in shared memory, then merges of sorted runs, or for long rows by
// the bits of their keys (radix_on_gpu.hpp). Results do not depend on the device.
#pragma once

#include "kernels/gpu/scratch.hpp"
#include "kernels/slices/rows_on_gpu.hpp"
#include "kernels/sort/sort.cuh"

#include <limits>
#include <utility>

namespace sinter::ordering {

/// Returns how elements of a dtype become keys.
on_gpu::elements key_arguments(ScalarType dtype, bool descending);
/// Returns the key of NaN, or 0 for a dtype without NaN.
uint64_t nan_key(ScalarType dtype);
/// Returns the number of bytes of a key for elements of a dtype: 4 or 8.
std::size_t key_bytes(ScalarType dtype);

/// Sorted keys, and the positions that they had in their rows. Rows are dense.
struct gpu_sorted {
    gpu_kernels::scratch keys, indices;
    std::size_t key_bytes, index_bytes;  // 4 or 8: the width of unsigned numbers

    /// Returns the macro definitions of KEY and INDEX.
    gpu_kernels::macro_definitions macro_definitions() const;
};

/// Returns the number of bytes of an index into rows of `n` elements.
inline std::size_t index_bytes(int64_t n) {
    return n <= std::numeric_limits<uint32_t>::max() ? 4 : 8;
}

/// Returns the number of elements that a block sorts at once, of rows that are not short.
constexpr int64_t sorted_tile(std::size_t key_bytes) {
    return on_gpu::sorted_tile_bytes / static_cast<int64_t>(key_bytes);
}

/// Puts work on the stream that sorts `rows` dense rows of `n` unsigned keys of 4 or 8 bytes, of
/// which only the lowest `bits` are set. Indices have the larger of `index_bytes` and
/// index_bytes(n). `carried` has numbers of that width, which take the place of the indices.
gpu_sorted put_sorted(runtime::gpu_stream& s, const gpu_kernels::scratch& keys,
                      std::size_t key_bytes, int bits, int64_t rows, int64_t n,
                      std::size_t index_bytes = 4, const void* carried = nullptr);

/// Strided elements to be sorted by their keys (order_key.hpp).
struct gpu_elements {
    const rows::gpu_rows& rows;  // array 0 has the elements, array 1 the results
    const char* data;
    ScalarType dtype;
    bool descending = false;
};
/// Sorts each row, or only finds its first `kept` elements in order.
gpu_sorted put_sorted(runtime::gpu_stream& s, const gpu_elements& of, int64_t kept);
/// Writes the indices (Long) at positions [from, from + count) of the order into the rows of array
/// 1, and the elements into `values`, which has the same strides in elements, unless it is null.
void put_order(runtime::gpu_stream& s, const gpu_elements& of, int64_t from, int64_t count,
               char* out, char* values = nullptr);

}  // namespace sinter::ordering
