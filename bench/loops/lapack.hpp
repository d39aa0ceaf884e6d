// LAPACK by hand, from the OpenBLAS that the library uses: inputs are copied, as it overwrites
// them, into memory that stays; a matrix by rows is taken as its transpose by columns, which costs
// nothing.
#pragma once

#include "bench/loops/loops.hpp"

#include <vector>

namespace bench {

/// Empty where there is no such library.
std::vector<loop_row> lapack_loops();

}  // namespace bench
