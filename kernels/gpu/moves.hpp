// Elements of a GPU's memory, moved from one layout to another by generated kernels: what library
// operations need around the library.
#pragma once

#include "runtime/device/stream.hpp"

#include <sinter/dtype.hpp>

#include <cstdint>
#include <vector>

namespace sinter::plan {

/// A layout of elements in memory; strides in elements, one for each dimension of the space.
struct gpu_elements {
    char* first;
    std::vector<int64_t> strides;
};

// Each is put on `s`, which is the thread's current stream; nothing is noted of the memory.

/// to = from, conjugated if asked for. Strides of 0 repeat an element of `from`.
void put_moved(runtime::gpu_stream& s, ScalarType dtype, const std::vector<int64_t>& sizes,
               const gpu_elements& to, const gpu_elements& from, bool conjugate = false);

/// to = x where the sum of the indices times `weights` is not negative, else y. `x` may be `to`.
void put_chosen(runtime::gpu_stream& s, ScalarType dtype, const std::vector<int64_t>& sizes,
                const std::vector<int64_t>& weights, const gpu_elements& to, const gpu_elements& x,
                const gpu_elements& y);

/// to (Int, over the first sizes) = 0 where all elements of an item, which has `item_dims`
/// dimensions, are finite, else `otherwise`. Elements where the sum of the indices times `weights`
/// is negative count as finite.
void put_finite(runtime::gpu_stream& s, ScalarType dtype, const std::vector<int64_t>& sizes,
                int item_dims, const std::vector<int64_t>& weights, int otherwise,
                const gpu_elements& to, const gpu_elements& from);

/// to (Int) = from where that is negative.
void put_negative(runtime::gpu_stream& s, const std::vector<int64_t>& sizes, const gpu_elements& to,
                  const gpu_elements& from);

}  // namespace sinter::plan
