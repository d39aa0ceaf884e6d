// Reductions over a range of several dimensions that some operand does not see as one: a slice, an
// outer product, all but the middle dimension. Where runs are long the kernel is told where each
// one is (call_mode::runs). Else it walks its range with one stride, and such an operand is copied
// piece by piece to where it can: a chunk of the order, or a few short rows, at a time, which stays
// in the cache. The range is never in memory as a whole.
#pragma once

#include "jit/launch/launch.hpp"

#include <cstdint>

namespace sinter::runtime {

/// Whether an operand with these strides sees the dimensions as one.
bool walks_as_one(int dims, const int64_t* extents, const int64_t* strides);

/// Runs a reduction whose range is the innermost `request.reduced` dimensions; none is empty. In
/// the kernel an operand that does not walk them as one has lanes of class unit (zero where lanes
/// run along rows that it does not depend on, or where rows come run by run and it stands still in
/// a run). Where lanes run along rows, rows have at most
/// kernel_ir::reduce_chunk elements. Outputs have no elements. Returns the status bits.
uint64_t launch_nested(const launch_request& request);

}  // namespace sinter::runtime
