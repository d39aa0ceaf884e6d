// States of a reduction's chunks, merged pairwise by index in the order of reduce_order.hpp.
#pragma once

#include "jit/simd/block.hpp"
#include "runtime/memory/scratch.hpp"

#include <bit>
#include <cstdint>

namespace sinter::block {

using runtime::scratch;

/// The layout of the states of several columns: first all `a`, then all `b` (reduce_fns).
struct state_form {
    const block::reduce_fns* fns = nullptr;
    int64_t state_size = 0;  // bytes of an accumulator
    int64_t b_size = 0;      // bytes of its `b`

    int64_t b_offset(int64_t columns) const { return (columns * state_size + 63) / 64 * 64; }
    int64_t state_bytes(int64_t columns) const {
        return b_offset(columns) + (columns * b_size + 63) / 64 * 64;
    }
};

/// Returns the form of a reduction with accumulators of this logical type; `fns` is null if there
/// is none.
inline state_form make_state_form(op::reduction row, ScalarType accumulator) {
    const auto size = static_cast<int64_t>(block::block_size(accumulator));
    const bool arg = op::info(row).kind == op::reduction_kind::arg;
    return {block::find_reduce(row, accumulator), size, arg ? 8 : size};
}

/// States of chunks, merged as they are pushed, in rising order.
class state_tree {
public:
    state_tree(const state_form& f, int64_t chunks, int64_t width)
        : f_(f),
          width_(width),
          level_bytes_(f.state_bytes(width)),
          memory_(level_bytes_ * (std::bit_width(static_cast<uint64_t>(chunks)) + 1)) {}

    /// The place for the state of the next chunk.
    void* a() const { return a_of(depth_); }
    void* b() const { return b_of(depth_); }

    void push(int64_t chunk, int64_t n) {
        count_[depth_++] = n;
        for (; chunk & 1; chunk >>= 1) merge_top();
    }
    /// Merges the rest: the final state is then at level 0.
    void close() {
        while (depth_ > 1) merge_top();
    }
    const void* result_a() const { return a_of(0); }
    const void* result_b() const { return b_of(0); }
    void clear() { depth_ = 0; }
    /// Also sets the number of columns, at most the constructor's `width`.
    void clear(int64_t width) {
        width_ = width;
        depth_ = 0;
    }

private:
    void* a_of(int level) const { return memory_.get() + level * level_bytes_; }
    void* b_of(int level) const {
        return memory_.get() + level * level_bytes_ + f_.b_offset(width_);
    }
    void merge_top() {
        const int lower = depth_ - 2, upper = depth_ - 1;
        f_.fns->merge(a_of(lower), b_of(lower), a_of(upper), b_of(upper), width_, count_[lower],
                      count_[upper]);
        count_[lower] += count_[upper];
        --depth_;
    }

    const state_form& f_;
    int64_t width_;
    int64_t level_bytes_;
    scratch memory_;
    int64_t count_[64];
    int depth_ = 0;
};

}  // namespace sinter::block
