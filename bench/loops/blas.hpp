// The BLAS that the library uses, opened in the same way.
#pragma once

#include <cstdint>

namespace bench {

bool blas_found();
/// Returns a function of the BLAS, or null.
void* blas_symbol(const char* name);

/// A matrix in row-major order, or its transpose.
template <class T>
struct blas_operand {
    const T* data;
    int64_t ld;
    bool transposed;
};
/// c = a @ b, dense (m, n), with k terms each, on the calling thread. For float and double.
template <class T>
void blas_product(const blas_operand<T>& a, const blas_operand<T>& b, T* c, int64_t m, int64_t n,
                  int64_t k);

/// c = a @ b, or a @ b.t(), of square matrices.
void blas_product(const float* a, const float* b, float* c, int64_t side, bool transposed,
                  int threads);
void blas_product(const double* a, const double* b, double* c, int64_t side, bool transposed,
                  int threads);
/// c = a @ b of complex square matrices, given by their parts.
void blas_complex_product(const float* a, const float* b, float* c, int64_t side, int threads);
void blas_complex_product(const double* a, const double* b, double* c, int64_t side, int threads);

}  // namespace bench
