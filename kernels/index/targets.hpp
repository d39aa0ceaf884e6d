// The places that a scatter on a GPU writes to, as numbers.
#pragma once

#include "kernels/index/space_on_gpu.hpp"

namespace sinter::index_kernels {

/// A space, apart into keys, which have a place each, and the elements of one place. Indices vary
/// along the dimensions of the keys, or elements meet there.
struct targets {
    explicit targets(const loops& space);

    loops keys, free;
    int64_t unit;    // bytes from one place to the next
    int64_t places;  // the number of them, up to the last one that an index in range can name
    int64_t reach;   // how many of them indices alone can be apart

    /// Returns the keys as a kernel argument. Their indexed strides are in places.
    space_arguments arguments(uint64_t* outside) const;
    std::size_t place_bytes() const;  // 4 or 8: the width of an unsigned number
    int place_bits() const;           // those that may differ
    /// Returns true if assignments move fewer bytes with a word for each place, which holds the
    /// last key that names it, than with sorted places.
    bool claims_pay(int64_t cache_bytes) const;
};

}  // namespace sinter::index_kernels
