// The states of reductions, scalar by scalar, in the order of reduce_order.hpp.
#pragma once

#include "jit/kernel_ir/rows/fragments.hpp"

#include <array>

namespace sinter::kernel_ir {

/// A lane's or chunk's state. A fold uses the first word only.
using reduction_state = std::array<uint64_t, 2>;

/// Returns the state of one chunk. `elements` are the bits of the reduced values; the first one is
/// element `first` of the row.
reduction_state reduce_chunk_values(const reduction_fragments& parts,
                                    const std::vector<uint64_t>& elements, int64_t first);

/// Merges the states of a row's chunks, which are pushed in order, pairwise by index.
class chunk_merger {
public:
    chunk_merger(const reduction_fragments& parts, int64_t n0) : parts_(&parts), n0_(n0) {}

    void push(const reduction_state& state);
    /// Merges what is left and returns the state of all chunks.
    reduction_state result();

private:
    struct entry {
        reduction_state state;
        int64_t n;
    };
    void merge_top();

    const reduction_fragments* parts_;
    int64_t n0_;
    int64_t chunk_ = 0;
    std::vector<entry> stack_;
};

/// Returns the reduction's value from the state of all `n` elements. `parameter` holds the bits of
/// the correction.
uint64_t finish_reduction(const reduction_fragments& parts, const reduction_state& state, int64_t n,
                          uint64_t parameter);

/// Evaluates a fragment on scalars and returns the bits of its results, at most two.
reduction_state call_fragment(const fragment& f, const uint64_t* arguments);

}  // namespace sinter::kernel_ir
