// The BLAS that the library uses, opened the same way.
#pragma once

#include <cstdint>

namespace bench {

bool blas_found();
/// c = a @ b, or a @ b.t(), of squares.
void blas_product(const float* a, const float* b, float* c, int64_t side, bool transposed,
                  int threads);
void blas_product(const double* a, const double* b, double* c, int64_t side, bool transposed,
                  int threads);

}  // namespace bench
