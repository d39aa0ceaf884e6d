// Direct calls of LAPACK, from the OpenBLAS that the library uses. Inputs are copied into memory
// that stays allocated, because LAPACK overwrites them. A row-major matrix is passed as its
// column-major transpose, which costs nothing.
#pragma once

#include "bench/loops/loops.hpp"

#include <vector>

namespace bench {

/// Returns an empty list if there is no such library.
std::vector<loop_row> lapack_loops();

}  // namespace bench
