// The form of a map kernel for one launch: how a thread takes elements, and the argument that goes
// with it.
//
//   vector  The number of adjacent elements along the innermost dimension that a thread takes at
//           once; they are a step. An operand that is dense there, and aligned at every step, is
//           loaded and stored in accesses of up to 16 bytes (`whole`). Any other operand is
//           accessed element by element, or once if it is constant there. Rows consist of whole
//           steps, or the whole space is one row, which may end within a step.
//   items   The number of steps, element_threads apart, that are loaded before any is computed:
//           enough bytes in flight for the device memory.
//   turned  Operands that are dense along the next dimension instead. A block then owns a tile of
//           both dimensions, and those operands are transposed through shared memory, so that
//           adjacent threads access adjacent elements of all operands.
//
// Very small spaces keep one element per thread: their few blocks finish before larger ones would
// have started. Otherwise the form depends on strides, addresses and the architecture. It depends
// on extents only to decide if rows are whole steps and if tiles are worthwhile, so a few functions
// serve all sizes.
#pragma once

#include "jit/codegen/c_like/program.hpp"

#include <span>

namespace sinter::codegen {

inline constexpr int element_threads = 256;
inline constexpr int tile_side = 32;  // a square tile; a thread has 4 of its elements

/// A space and its operands, dimensions outermost first.
struct element_space {
    std::span<const int64_t> extents;
    std::span<const argument_operand> operands;  // strides in bytes
};

/// The properties of a device that the form depends on.
struct element_machine {
    int64_t bytes_in_flight = 64;  // per thread
    int64_t cost = 1;              // primitives per element; expensive text is repeated less
    bool plain_if_few = true;      // very small spaces have one element per thread
};

/// Returns the form. It has no rows: `element_dims` is 1 and `row_dims` is the number of other
/// dimensions.
loop_shape element_form(const kernel_ir::kernel& k, const element_space& space,
                        const element_machine& machine);

/// Returns the number of blocks, each of element_threads threads.
int64_t element_blocks(const loop_shape& shape, std::span<const int64_t> extents);

/// The kernel's argument, in words: pointers and integers as the text declares them.
std::size_t element_argument_words(const kernel_ir::kernel& k, const loop_shape& shape);
void pack_elements(const kernel_ir::kernel& k, const loop_shape& shape, const element_space& space,
                   std::span<const uint64_t> scalars, uint64_t* status, std::span<uint64_t> words);
/// Returns the declaration of the argument, named after the function.
std::string c_element_arguments(const kernel_ir::kernel& k, const loop_shape& shape,
                                const std::string& name);

}  // namespace sinter::codegen
