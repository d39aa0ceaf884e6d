// Where a mask is true. Masks are dense bytes; results have sizes that depend on values, so the
// caller counts first.
#pragma once

#include "kernels/kernel_op.hpp"

namespace sinter::index_kernels {

/// How many of `n` bytes are not 0, in total and before each of their chunks.
class mask_count {
public:
    mask_count(const uint8_t* mask, int64_t n);
    int64_t total() const { return total_; }

    /// Calls f(position, rank) for each one, rising within a thread; rank counts the ones before.
    template <class F>
    void for_each(const F& f) const;

private:
    static constexpr int64_t chunk = 1 << 15;
    const uint8_t* mask_;
    int64_t n_, total_ = 0;
    std::vector<int64_t> before_;
};

/// Row-major indices of the ones of a mask with these sizes: total x dimensions.
void write_nonzero(const mask_count& ones, IntArrayRef sizes, int64_t* indices);

/// Elements of `bytes` bytes from a dense array, where the mask is true, one after the other.
void select_ones(const mask_count& ones, const char* from, std::size_t bytes, char* to);

/// Throws Error where a mask has more ones than the source that is put there has elements.
void require_enough(const char* op, int64_t ones, int64_t have);

/// inputs: the tensor to change, a dense mask (Bool) of its sizes, a dense 1-d source. The source's
/// elements replace those where the mask is true, in row-major order.
extern const kernel_op masked_scatter_op, masked_scatter__op;  // NOLINT

}  // namespace sinter::index_kernels
