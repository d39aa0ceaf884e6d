// Maps over short rows run many rows as one long row: vectors along a row of 24 elements would be
// partly empty and could not be interleaved. An operand whose rows are contiguous is used in place.
// Any other operand (a repeated row, one number per row, rows with gaps) is spread: it is written
// densely, for as many rows as run together, into a buffer that fits in the first-level cache. A
// repeated row is spread only once.
#pragma once

#include "jit/launch/walk.hpp"

#include <cstdint>

namespace sinter::runtime {

/// Runs a map with lanes along elements. Its `spread` operands have lane class unit in the kernel.
/// A thread gets at least `grain` elements; 0 means one thread. Returns the status bits.
uint64_t run_flat_rows(const space& s, int64_t grain);

}  // namespace sinter::runtime
