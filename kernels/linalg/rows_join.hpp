// A test of the BLAS library: does a row of a product have the same bits, whichever gemm call
// computes it?
#pragma once

#include "kernels/linalg/blas_library.hpp"

namespace sinter::blas {

/// Returns true if rows have the same bits. The first call measures it: it compares a whole product
/// with one that is cut at multiples of row_unit, into calls of at least least_call
/// multiplications. If true, the number of threads may decide where a product is cut.
template <class T>
bool rows_join(const blas_library& l);
extern template bool rows_join<float>(const blas_library& l);
extern template bool rows_join<double>(const blas_library& l);
extern template bool rows_join<complex<float>>(const blas_library& l);
extern template bool rows_join<complex<double>>(const blas_library& l);

}  // namespace sinter::blas
