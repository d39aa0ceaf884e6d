// How a GPU runs the rows of a kernel with reductions: the form of the kernel source, and its
// threads and blocks. The choice depends on sizes and the device and does not change a bit of the
// result.
#pragma once

#include "jit/codegen/c_like/program.hpp"
#include "jit/launch/gpu/launched_kernel.hpp"
#include "runtime/device/driver.hpp"

#include <span>

namespace sinter::runtime {

/// The input of the choice.
struct row_space {
    int64_t rows = 1, length = 0;
    int passes = 1;        // passes over the elements of a row
    int64_t loaded = 4;    // bytes per element of all inputs
    int64_t dense = 4;     // bytes per element of the inputs that are dense along the row
    int64_t repeated = 0;  // bytes per element of those that several passes load
    int64_t kept = 0;      // as `dense`, if a value takes the place of one; 0: none does
    int largest = 4;       // bytes of the largest dense element; 0: no input is dense
    bool packs = true;     // inputs can be read in packs; of dense ones, of 16 / largest elements
    bool fetches = true;   // rows of dense inputs consist of whole 16-byte words
    int stored = 1;        // elements of a pack that fits all dense operands, including outputs
    bool across = false;   // true if inputs are dense along the row dimension instead
    bool pairs = false;    // then narrow inputs of two adjacent rows can be one access
    int64_t words = 1;     // words of a chunk's states
    int64_t cost = 1;      // primitives per element
};

/// The strides of each operand over the extents, in elements.
using operand_strides = std::span<const int64_t* const>;
row_space row_space_of(const launched_kernel& k, operand_strides strides);
gpu_rows choose_rows(const row_space& s, const device_properties& device);

/// Returns how any rows can run, whatever their number, length and strides, on any device: the
/// chunks of a row divided among blocks.
gpu_rows rows_of_any_length(const kernel_ir::kernel& k);

struct row_grid {
    unsigned blocks, threads;
};

/// Returns the grid of a launch over rows, or over parts of `span` chunks each.
row_grid grid_of_rows(int64_t rows, int64_t length, const codegen::row_form& form, int64_t span);
row_grid grid_of_merge(int64_t rows, int64_t length, const gpu_rows& how);
int64_t part_count(int64_t length, int64_t span);
/// Returns the bytes of shared memory that a block needs for kept operands, besides those that its
/// kernel declares. `span` is the number of chunks that are kept, if not all are.
unsigned kept_bytes(int64_t length, const codegen::row_form& form, int64_t span, int64_t of_element,
                    int64_t operands);

}  // namespace sinter::runtime
