// Whether the rows of a product have the same bits in whichever call of gemm they are computed.
#pragma once

#include "kernels/linalg/blas_library.hpp"

namespace sinter::blas {

/// Found out by the first call, with products of all rows and of some, cut at multiples of row_unit
/// into calls of least_call multiplications or more. Then a product may be cut by threads.
template <class T>
bool rows_join(const blas_library& l);
extern template bool rows_join<float>(const blas_library& l);
extern template bool rows_join<double>(const blas_library& l);
extern template bool rows_join<complex<float>>(const blas_library& l);
extern template bool rows_join<complex<double>>(const blas_library& l);

}  // namespace sinter::blas
