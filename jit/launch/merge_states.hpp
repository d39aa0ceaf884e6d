// Merges the states of a row's chunks into the finished value of a reduction, in the order of
// jit/kernel_ir/reduce_order.hpp. For launches that share a row among threads.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <cstdint>

namespace sinter::runtime {

struct chunk_states {
    uint16_t reduction;            // row of op/reduce.def
    kernel_ir::mtype accumulator;  // machine type of the states
    ScalarType result;             // logical type that the result is rounded to
    const uint64_t* words;         // of chunk 0
    int64_t stride;                // words from one chunk to the next
    int64_t n;                     // elements of the row, 1 or more
    uint64_t parameter;            // in the accumulator's type, for reductions that have one
};

/// Returns the word that `row_values` holds for the reduction (jit/kernel_ir/call.hpp).
uint64_t merge_states(const chunk_states& states);

}  // namespace sinter::runtime
