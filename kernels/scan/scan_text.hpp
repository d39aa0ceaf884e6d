// The text of scans on a GPU.
#pragma once

#include "kernels/gpu/written.hpp"

#include <string>

namespace sinter::scan {

/// Elements that a block scans at once, and the most parts of a row.
inline constexpr int64_t tile_elements = 2048;
inline constexpr int64_t most_parts = 1024;

/// sinter_scan_rows: a thread a row, in the order of its elements; sinter_scan_short: the same of
/// rows that do not lie side by side. sinter_scan_parts: a block a part of a row, tile by tile;
/// where there is no output, the parts' totals. sinter_scan_totals: those of each row, exclusively.
/// Over OPERANDS (2), `definitions`, and
///
///   struct source          what follows the rows among the arguments
///   item, state, result    types
///   none(source)           the state before the first element
///   load(source, p)        an item
///   taken(source, item, i) its state, as element i of the row
///   joined(source, a, b)   states side by side
///   result_of(state), store(source, p, row, result)
gpu_kernels::written scan_kernels(const std::string& definitions);

}  // namespace sinter::scan
