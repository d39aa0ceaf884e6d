// Reductions over a range of several dimensions that some operand cannot walk with one stride: a
// slice, an outer product, all but the middle dimension. If runs are long, the kernel gets the
// address of each run (call_mode::runs). Otherwise the kernel walks its range with one stride, and
// such an operand is copied piece by piece: one or two chunks of the order, or a few short rows, at
// a time, which stay in the cache. The whole range is never copied at once.
#pragma once

#include "jit/launch/launch.hpp"

#include <cstdint>

namespace sinter::runtime {

/// Returns true if an operand with these strides walks the dimensions with one stride.
bool walks_as_one(int dims, const int64_t* extents, const int64_t* strides);

/// Runs a reduction whose range is the innermost `request.reduced` dimensions, none of them empty;
/// returns the status bits. In the kernel, an operand that does not walk them with one stride has
/// lane class unit. The class is zero if lanes run along rows that the operand does not depend on,
/// or if rows arrive run by run and it is constant within a run. If lanes run along rows, rows have
/// at most kernel_ir::reduce_chunk elements. Outputs have row values only.
uint64_t launch_nested(const launch_request& request);

}  // namespace sinter::runtime
