// Maps over short rows, many at a time as one long row: vectors along a row of 24 elements would be
// partly empty and could not be interleaved. What lies row behind row is where it has to be. What
// does not (a row that repeats, one number a row, rows with gaps) is spread: written for as many
// rows as run together into a part of the first cache, a repeated row only once.
#pragma once

#include "jit/launch/walk.hpp"

#include <cstdint>

namespace sinter::runtime {

/// Runs a map with lanes along elements, some of whose operands are `spread`: in the kernel these
/// have lanes of class unit. `grain`: elements that a thread gets at least; 0: one thread. Returns
/// the status bits.
uint64_t run_flat_rows(const space& s, int64_t grain);

}  // namespace sinter::runtime
