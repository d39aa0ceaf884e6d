// The parts of reductions as small primitive bodies. Every code generator and the interpreter place
// them along the order of reduce_order.hpp, so all compute the same formulas.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <sinter/op/op.hpp>

namespace sinter::kernel_ir {

/// Most instructions of a fragment. A fragment has at most two results.
inline constexpr std::size_t max_fragment_size = 64;

/// A function in primitives. Parameter p is the value of the `scalar` instruction with a == p; an
/// unused parameter has none. Everything has domain row and may be placed anywhere.
struct fragment {
    std::vector<mtype> parameters;
    std::vector<instr> body;
    std::vector<value_id> results;
};

/// `acc` below is the accumulator type; counts and indices are i64.
struct reduction_fragments {
    op::reduction_kind kind{};
    mtype acc{};
    ScalarType result{};
    std::vector<uint64_t> identity;  // what a lane starts with: 1 word, 2 for arg
    std::vector<uint64_t> empty;     // the state of an empty range: state_words words

    fragment prepare;  // (element) -> acc
    fragment combine;  // fold, and the sums of moments: (acc, acc) -> acc
                       // arg: (acc, index, acc, index) -> (acc, index)
    fragment better;   // arg only: (acc, acc) -> b1, true if the first beats the second
    fragment finish;   // to the logical result, rounded once: fold (acc, n), arg (acc, index),
                       // moments (mean, squares, n, correction) -> result
    // ---- moments only
    fragment mean;       // (sum, n) -> acc: mean of a chunk
    fragment deviation;  // (prepared element, mean) -> acc: the term that the second pass sums
    fragment merge;      // (mean, squares, n) of a and of b -> (mean, squares)
};

/// Returns the parts of a reduction over values of logical type `in`.
reduction_fragments make_fragments(uint16_t reduction, ScalarType in);

}  // namespace sinter::kernel_ir
