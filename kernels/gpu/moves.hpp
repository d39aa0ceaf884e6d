// Moves elements in GPU memory between layouts with generated kernels. Library operations need this
// before and after a library call.
#pragma once

#include "jit/launch/gpu/launched_kernel.hpp"
#include "runtime/device/stream.hpp"

#include <sinter/dtype.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::gpu_kernels {

/// A layout of elements in memory. Strides are in elements, one for each dimension of the space.
struct gpu_elements {
    char* first;
    std::vector<int64_t> strides;
};

// Each function puts its work on `s`, which is the thread's current stream. None records a use of
// the memory.

/// to = from, conjugated if asked for. Strides of 0 repeat an element of `from`.
void put_moved(runtime::gpu_stream& s, ScalarType dtype, const std::vector<int64_t>& sizes,
               const gpu_elements& to, const gpu_elements& from, bool conjugate = false);

/// to = x where the sum of the indices times `weights` is not negative, else y. `x` may be `to`.
void put_chosen(runtime::gpu_stream& s, ScalarType dtype, const std::vector<int64_t>& sizes,
                const std::vector<int64_t>& weights, const gpu_elements& to, const gpu_elements& x,
                const gpu_elements& y);

/// Sets each element of `to` (Int, over the leading dimensions) to 0 if all elements of an item are
/// finite, else to `otherwise`. An item spans the last `item_dims` dimensions. Elements where the
/// sum of the indices times `weights` is negative count as finite.
void put_finite(runtime::gpu_stream& s, ScalarType dtype, const std::vector<int64_t>& sizes,
                int item_dims, const std::vector<int64_t>& weights, int otherwise,
                const gpu_elements& to, const gpu_elements& from);

/// to (Int) = from, where `from` is negative.
void put_negative(runtime::gpu_stream& s, const std::vector<int64_t>& sizes, const gpu_elements& to,
                  const gpu_elements& from);

/// A launch that a recording asks for, as it would be on a device. Of addresses the recording has
/// the alignment.
struct requested_launch {
    runtime::launched_kernel k;
    std::vector<std::vector<int64_t>> strides;  // of each operand, in bytes; of an index in steps
    std::vector<char*> first;
};
/// Throws InternalError if the bytes are no request for a move.
requested_launch read_move(std::span<const uint8_t> bytes,
                           const runtime::device_properties& device);

/// Appends the bytes of requests for each sort of move of matrices of a dtype.
void write_usual_moves(ScalarType dtype, std::vector<std::vector<uint8_t>>& to);

}  // namespace sinter::gpu_kernels
