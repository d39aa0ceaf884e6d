// What the products of floating types and of integers have in common.
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
    const prologue* before = nullptr;  // instead of a.data
};

/// What a product node asks for. Throws where that is malformed.
product product_of(const op_call& call, const prologue* before, const epilogue* after);
/// Many products with one b are one product of a taller a, if a's rows lie evenly.
void fold_batch(product& p);

/// The ranges of one tile in a product that is cut by `t`.
struct tile {
    int64_t m0, m, n0, n, k0, k;
    int64_t slab;  // which part of k
};
inline tile tile_at(const tiling& t, const product& p, int64_t index) {
    int64_t n = index % t.n_count, rest = index / t.n_count;
    int64_t m = rest % t.m_count, k = rest / t.m_count;
    const int64_t rows = m + 1 == t.m_count ? p.m - m * t.m : t.m;
    return {
        m * t.m, rows, n * t.n, std::min(t.n, p.n - n * t.n), k * t.k, std::min(t.k, p.k - k * t.k),
        k};
}

/// Multiplications below which waking another thread does not pay.
inline constexpr int64_t product_grain = 1 << 17;

/// In BLAS, T being float, double or complex of these. `p.a` and `p.b` hold T; they are replaced by
/// copies where BLAS cannot take their layout. `out` is what `p.out` is to the others.
template <class T>
void float_product(product& p, T* out);
extern template void float_product<float>(product& p, float* out);
extern template void float_product<double>(product& p, double* out);
extern template void float_product<complex<float>>(product& p, complex<float>* out);
extern template void float_product<complex<double>>(product& p, complex<double>* out);

/// Whether that is made of tiles for which rows of `a` can be made one after the other.
bool takes_row_source(const product& p);

/// In 32, 64 or 8 bits, modulo their range.
void integer_product(const product& p);

}  // namespace sinter::blas
