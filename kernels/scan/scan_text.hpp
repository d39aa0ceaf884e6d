// The GPU kernel source of scans.
#pragma once

#include "kernels/gpu/written.hpp"

#include <string>

namespace sinter::scan {

/// The number of elements that a block scans at once, and the maximum number of parts of a row.
inline constexpr int64_t tile_elements = 2048;
inline constexpr int64_t most_parts = 1024;

/// Returns the kernels. sinter_scan_rows: one thread per row, in the order of its elements;
/// sinter_scan_short: the same for rows that do not lie side by side. sinter_scan_parts: one block
/// per part of a row, by tiles; without an output it stores the parts' totals. sinter_scan_totals:
/// the exclusive scan of the totals of each row. The source needs OPERANDS (2) and `definitions`,
/// which must define
///
///   struct source          the arguments after the rows
///   item, state, result    types
///   none(source)           the state before the first element
///   load(source, p)        an item
///   taken(source, item, i) its state, as element i of the row
///   joined(source, a, b)   the state of a followed by b
///   result_of(state), store(source, p, row, result)
gpu_kernels::written scan_kernels(const std::string& definitions);

}  // namespace sinter::scan
