// Copies elements between strided layouts. Bits move unchanged.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>
#include <span>

namespace sinter::runtime {

/// Copies `n` elements of `item` bytes (1, 2, 4, 8 or 16), which need no alignment. Strides are in
/// bytes; one of 0 in `from` repeats an element.
void copy_run(char* to, int64_t to_stride, const char* from, int64_t from_stride, int64_t n,
              int64_t item);

/// Copies all elements of `shape`. Strides are in elements, and may be 0 or negative. The arrays
/// are the same or do not overlap. Uses several threads for many elements.
void copy_elements(ScalarType type, std::span<const int64_t> shape, char* out,
                   std::span<const int64_t> out_strides, const char* in,
                   std::span<const int64_t> in_strides);

}  // namespace sinter::runtime
