// The positions where a mask is true. Masks are dense bytes. The sizes of results depend on values,
// so the caller counts first.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::index_kernels {

/// Counts the nonzero bytes among `n`, in total and before each chunk.
class mask_count {
public:
    mask_count(const uint8_t* mask, int64_t n);
    int64_t total() const { return total_; }

    /// Calls f(places_block) for the nonzero bytes of each short part, in rising order within a
    /// thread (mask.cpp).
    template <class F>
    void for_each_block(const F& f) const;

private:
    static constexpr int64_t chunk = 1 << 15;
    const uint8_t* mask_;
    int64_t n_, total_ = 0;
    std::vector<int64_t> before_;
};

/// Writes the row-major indices of the mask's true elements: total x dimensions.
void write_nonzero(const mask_count& ones, IntArrayRef sizes, int64_t* indices);

/// Copies the elements of a dense array where the mask is true to `to`, packed. An element has
/// `bytes` bytes.
void select_ones(const mask_count& ones, const char* from, std::size_t bytes, char* to);

/// Throws Error if a mask has more true elements than the source has elements.
void require_enough(const char* op, int64_t ones, int64_t have);

/// inputs: the tensor to change, a dense mask (Bool) of its sizes, a dense 1-d source. Elements of
/// the source replace those where the mask is true, in row-major order.
extern const kernel_op masked_scatter_op, masked_scatter__op;  // NOLINT

}  // namespace sinter::index_kernels
