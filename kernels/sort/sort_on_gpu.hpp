// Sorting on a GPU: tiles in shared memory, then merges of sorted runs, which cost the same for
// every key, use no atomics, and whose bits do not depend on the device. Stable.
#pragma once

#include "kernels/gpu/scratch.hpp"
#include "kernels/slices/rows_on_gpu.hpp"
#include "kernels/sort/sort.cuh"

#include <limits>
#include <utility>

namespace sinter::ordering {

/// How elements of a dtype become keys.
on_gpu::elements key_arguments(ScalarType dtype, bool descending);
/// The key of NaN, 0 for a dtype without it.
uint64_t nan_key(ScalarType dtype);
/// Bytes of a key for elements of a dtype.
std::size_t key_bytes(ScalarType dtype);

/// Keys in order, and the places that they had in their rows; rows are dense, of `n` each.
struct gpu_sorted {
    gpu_kernels::scratch keys, indices;
    std::size_t key_bytes, index_bytes;  // 4 or 8: unsigned numbers

    /// KEY and INDEX.
    gpu_kernels::meanings meanings() const;
};

/// What indices of rows of `n` elements take.
inline std::size_t index_bytes(int64_t n) {
    return n <= std::numeric_limits<uint32_t>::max() ? 4 : 8;
}

/// Puts work on the stream that sorts `rows` dense rows of `n` unsigned keys of 4 or 8 bytes;
/// overwrites them. Indices have `index_bytes(n)`, or more where asked.
gpu_sorted put_sorted(runtime::gpu_stream& s, const gpu_kernels::scratch& keys,
                      std::size_t key_bytes, int64_t rows, int64_t n, std::size_t index_bytes = 4);

/// Strided elements whose keys (order_key.hpp) are sorted.
struct gpu_elements {
    const rows::gpu_rows& rows;  // array 0 has the elements, array 1 the results
    const char* data;
    ScalarType dtype;
    bool descending = false;
};
/// Puts all of each row, or its first `kept` elements, in order.
gpu_sorted put_sorted(runtime::gpu_stream& s, const gpu_elements& of, int64_t kept);
/// Puts the places of [from, from + count) of the order, as Long, into the rows of array 1.
void put_order(runtime::gpu_stream& s, const gpu_elements& of, int64_t from, int64_t count,
               char* out);

}  // namespace sinter::ordering
