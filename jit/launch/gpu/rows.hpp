// How a GPU goes over the rows of a kernel with reductions: which form its text has, how many
// threads and blocks run it. Sizes and the device decide, and nothing of it changes a bit.
#pragma once

#include "jit/codegen/c_like/program.hpp"
#include "jit/launch/gpu/launched_kernel.hpp"
#include "runtime/device/driver.hpp"

#include <span>

namespace sinter::plan {

/// What decides.
struct row_space {
    int64_t rows = 1, length = 0;
    int passes = 1;       // over the elements of a row
    int64_t loaded = 4;   // bytes of an element, of all inputs
    int64_t dense = 4;    // of those, bytes of inputs that are dense along the row
    int largest = 4;      // bytes of the largest among the dense ones; 0: there is none
    bool packs = true;    // dense inputs can be read in packs of 16 / largest elements
    bool fetches = true;  // and all of a row in words of 16 bytes
    int stored = 1;       // elements of a pack that all dense operands have, outputs too
    bool across = false;  // inputs are dense along rows instead
    int64_t words = 1;    // of chunk states
    int64_t cost = 1;     // primitives of an element
};

struct gpu_rows {
    codegen::row_form form;
    codegen::row_form unaligned;  // where an operand does not begin at a multiple of 16 bytes
    int64_t span = 64;            // chunks of a part
    int64_t together = 1;         // rows that a block merges
};

/// Of each operand, over the extents, in elements.
using operand_strides = std::span<const int64_t* const>;
row_space row_space_of(const launched_kernel& k, operand_strides strides);
gpu_rows choose_rows(const row_space& s, const runtime::device_properties& device);

struct row_grid {
    unsigned blocks, threads;
};

/// Of a launch over rows, or over parts of `span` chunks of them.
row_grid grid_of_rows(int64_t rows, int64_t length, const codegen::row_form& form, int64_t span);
row_grid grid_of_merge(int64_t rows, int64_t length, const gpu_rows& how);
int64_t part_count(int64_t length, int64_t span);
/// Bytes that a block has beside what its kernel declares, for operands that are kept.
unsigned kept_bytes(int64_t length, const codegen::row_form& form, int64_t of_element,
                    int64_t operands);

}  // namespace sinter::plan
