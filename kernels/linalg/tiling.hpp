// How a product of matrices is cut into calls of one thread each. A function of the product's shape
// and dtype and of nothing else, so that every number of threads computes the same bits.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>

namespace sinter::blas {

struct tiling {
    int64_t m, n, k;                    // sizes of a tile; the last ones of a row may be smaller
    int64_t m_count, n_count, k_count;  // tiles; k_count > 1: partial sums, merged pairwise

    int64_t tiles() const { return m_count * n_count * k_count; }
};

tiling choose_tiling(int64_t m, int64_t n, int64_t k, ScalarType dtype);

}  // namespace sinter::blas
