// The loop nest of an elementwise operation: dimensions of size 1 are dropped, the others are
// ordered by stride and collapsed if every operand allows it. A walk visits the elements in runs.
#pragma once

#include "jit/interpret/eager/eager.hpp"

#include <cstdint>
#include <span>

namespace sinter::eager {

inline constexpr int max_dims = 64;
inline constexpr int max_operands = 4;
/// Below this many elements a second thread costs more than it saves.
inline constexpr int64_t parallel_grain = 32768;
/// Elements of a block between load rows, block rows and store rows: a few of them fit in L1.
inline constexpr int64_t block_elements = 1024;

/// Index 0 is the innermost dimension. Only the first `rank` entries are set; rank is at least 1
/// unless total is 0.
struct nest {
    int rank = 0;
    int operands = 0;
    int64_t total = 1;
    int64_t size[max_dims];
    int64_t stride[max_operands][max_dims];
    char* data[max_operands];

    /// operands[0] is the output; its strides have priority for the order.
    nest(std::span<const int64_t> shape, std::span<const operand* const> of);
};

/// A position in a nest.
class walk {
public:
    walk(const nest& n, int64_t element);
    /// Returns the number of elements left in the innermost run.
    int64_t run() const { return nest_.size[0] - at_[0]; }
    char* pointer(int k) const { return pointer_[k]; }
    /// Moves on by `n` elements, at most run().
    void advance(int64_t n);

private:
    const nest& nest_;
    int64_t at_[max_dims];
    char* pointer_[max_operands];
};

}  // namespace sinter::eager
