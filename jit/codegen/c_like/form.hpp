// The form of a kernel of elements for one launch: how a thread takes elements, and the argument
// that goes with it.
//
//   vector  A thread takes so many neighbours along the innermost dimension at once: a step. An
//           operand that is dense there, and aligned wherever a step begins, is loaded and stored
//           in accesses of 16 bytes (`whole`); any other one element by element, and once where it
//           stands still. Rows are whole steps, or all is one row, which may end within one.
//   items   So many steps are loaded before any is computed, element_threads apart: enough bytes
//           in flight for the memory at hand.
//   turned  Where operands are dense along the next dimension instead, a block owns a tile of both,
//           and those operands pass through shared memory, so that threads side by side touch
//           neighbours in all of them.
//
// A few blocks of elements one by one finish before more would have begun: the least spaces are
// left so. Otherwise the form depends on strides, addresses and the architecture, and on extents
// only for whether rows are whole steps and tiles are worth it, so that few functions serve all
// sizes.
#pragma once

#include "jit/codegen/c_like/program.hpp"

#include <span>

namespace sinter::codegen {

inline constexpr int element_threads = 256;
inline constexpr int tile_side = 32;  // a square; a thread has 4 of its elements

/// A space and what is in it, dimensions outermost first.
struct element_space {
    std::span<const int64_t> extents;
    std::span<const argument_operand> operands;  // strides in bytes
};

/// What the form should know of a machine.
struct element_machine {
    int64_t bytes_in_flight = 64;  // that a thread should have
    int64_t cost = 1;              // of an element, in primitives: text is not repeated at will
};

/// `row_dims` and `element_dims` are 1 less and 1: a form knows no rows.
loop_shape element_form(const kernel_ir::kernel& k, const element_space& space,
                        const element_machine& machine);

/// Blocks of element_threads threads.
int64_t element_blocks(const loop_shape& shape, std::span<const int64_t> extents);

/// The argument, in words: pointers and integers as the text declares them.
std::size_t element_argument_words(const kernel_ir::kernel& k, const loop_shape& shape);
void pack_elements(const kernel_ir::kernel& k, const loop_shape& shape, const element_space& space,
                   std::span<const uint64_t> scalars, uint64_t* status, std::span<uint64_t> words);
/// Their declaration, named after the function.
std::string c_element_arguments(const kernel_ir::kernel& k, const loop_shape& shape,
                                const std::string& name);

}  // namespace sinter::codegen
