// How a product of matrices is cut into single-threaded calls. It depends only on the shape and
// dtype, so that any number of threads computes the same bits. Threads join tiles only if that does
// not change the bits.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>

namespace sinter::blas {

struct tiling {
    int64_t m, n, k;                    // sizes of a tile; the last one takes the rest
    int64_t m_count, n_count, k_count;  // numbers of tiles; k_count > 1: partial sums, merged
                                        // pairwise
    bool joins = false;                 // neighbouring tiles may be one call, with the same bits

    int64_t tiles() const { return m_count * n_count * k_count; }
};

/// `rows_join`: true if BLAS computes the same bits for a row in any call (rows_join.hpp).
tiling choose_tiling(int64_t m, int64_t n, int64_t k, ScalarType dtype, bool rows_join = false);

/// Tiles of rows begin at multiples of it.
inline constexpr int64_t row_unit = 24;
/// The minimum number of multiplications of a call: BLAS may use other kernels for smaller ones.
inline constexpr int64_t least_call = int64_t{4} << 20;

}  // namespace sinter::blas
