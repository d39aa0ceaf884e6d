// How a product of matrices is cut into calls of one thread each. A function of the product's shape
// and dtype and of nothing else, so that every number of threads computes the same bits; threads
// join tiles only where that changes none.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>

namespace sinter::blas {

struct tiling {
    int64_t m, n, k;                    // sizes of a tile; the last one takes what is left
    int64_t m_count, n_count, k_count;  // tiles; k_count > 1: partial sums, merged pairwise
    bool joins = false;                 // neighbours may be one call, which gives the same bits

    int64_t tiles() const { return m_count * n_count * k_count; }
};

/// `rows_join`: BLAS gives rows of matrices the same bits in whichever call they are
/// (rows_join.hpp).
tiling choose_tiling(int64_t m, int64_t n, int64_t k, ScalarType dtype, bool rows_join = false);

/// Tiles of rows begin at multiples of it.
inline constexpr int64_t row_unit = 24;
/// Multiplications that are at least in a call: smaller ones may take kernels of their own.
inline constexpr int64_t least_call = int64_t{4} << 20;

}  // namespace sinter::blas
