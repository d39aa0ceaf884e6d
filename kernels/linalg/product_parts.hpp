// Common parts of floating-point and integer products.
#pragma once

#include "kernels/linalg/epilogue.hpp"
#include "kernels/linalg/operand.hpp"
#include "kernels/linalg/tiling.hpp"

#include <sinter/complex.hpp>

#include <algorithm>

namespace sinter::blas {

struct product {
    const char* what;
    operand a, b;
    char* out;  // contiguous
    int64_t batches, m, n, k;
    ScalarType dtype;
    const epilogue* after = nullptr;
    const prologue* before = nullptr;  // replaces a.data
};

/// Returns the product that a node describes. Throws InternalError if the node is malformed.
product product_of(const op_call& call, const prologue* before, const epilogue* after);
/// Turns many products with one b into one product with a taller a, if the rows of all a's are
/// evenly spaced.
void fold_batch(product& p);

/// The ranges of one tile of a product that is cut by `t`.
struct tile {
    int64_t m0, m, n0, n, k0, k;
    int64_t slab;  // the index of the part of k
};
inline tile tile_at(const tiling& t, const product& p, int64_t index) {
    int64_t n = index % t.n_count, rest = index / t.n_count;
    int64_t m = rest % t.m_count, k = rest / t.m_count;
    const int64_t rows = m + 1 == t.m_count ? p.m - m * t.m : t.m;
    return {
        m * t.m, rows, n * t.n, std::min(t.n, p.n - n * t.n), k * t.k, std::min(t.k, p.k - k * t.k),
        k};
}

/// Below this many multiplications, waking another thread does not pay.
inline constexpr int64_t product_grain = 1 << 17;

/// Multiplies in BLAS; T is float, double or a complex type of these, and so are the elements of
/// `p.a` and `p.b`. Operands whose layout BLAS cannot take are replaced by copies. The result goes
/// to `out` instead of `p.out`.
template <class T>
void float_product(product& p, T* out);
extern template void float_product<float>(product& p, float* out);
extern template void float_product<double>(product& p, double* out);
extern template void float_product<complex<float>>(product& p, complex<float>* out);
extern template void float_product<complex<double>>(product& p, complex<double>* out);

/// Returns true if the product's tiles can take rows of `a` from a prologue one after the other.
bool takes_row_source(const product& p);

/// Multiplies integers, modulo the range of the dtype.
void integer_product(const product& p);

}  // namespace sinter::blas
