// Runs one kernel over a strided space on the CPU. The last dimension is n0 of the kernel (for a
// reduction the reduced range), the one before it n1; the launcher walks the others, so a rank is
// never part of a kernel, and divides the work among threads.
#pragma once

#include "jit/kernel_ir/call.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace sinter::runtime {

struct reduction_plan;

/// Results of so many bytes are larger than the caches, and are stored past them.
int64_t past_caches_from();

struct launch_operand {
    char* base;              // role::index: the start index, as an integer
    const int64_t* strides;  // bytes, one a dimension; role::index: index steps
    int64_t item = 0;        // bytes of an element, where `reduced` is more than 1 or rows are flat
    bool spread = false;     // see launch_request::flat
};

struct launch_request {
    kernel_ir::kernel_fn fn = nullptr;  // compiled, or:
    const kernel_ir::call_runner* runner = nullptr;
    /// Of a kernel with reductions; without it a long row is not shared among threads.
    const reduction_plan* reductions = nullptr;
    kernel_ir::lanes along = kernel_ir::lanes::element;
    bool reduction = false;
    bool runs = false;             // the kernel's rows come run by run
    bool few = false;              // they have few elements, see kernel_call::n2
    bool flat = false;             // rows are short and run as one: flat_rows.hpp
    int output = -1;               // the operand that is the only output; -1: several, or no matter
    int64_t past_caches_from = 0;  // bytes of that output; 0: past_caches_from()
    int64_t cost = 1;              // primitives an element
    int rank = 0;
    int reduced = 1;  // innermost dimensions that are the reduced range, together
    const int64_t* extents = nullptr;
    std::span<const launch_operand> operands = {};
    std::span<const uint64_t> scalars = {};
};

constexpr int64_t light_grain = 16384;  // of what reads much for each element

/// The fewest elements, of so many primitives each, that a thread should get: some 5 us of them.
constexpr int64_t grain_of_cost(int64_t cost) {
    constexpr int64_t primitives = 300000, fewest = 512;
    return std::max(primitives / std::max<int64_t>(cost, 1), fewest);
}

/// Rows of fewer elements never go to several threads.
constexpr int64_t short_row(int64_t cost) { return 2 * std::min(grain_of_cost(cost), light_grain); }

/// The same as `launch` of one row of 1 to `short_row` elements without reductions, where setting
/// up a launch would take longer than the row.
uint64_t launch_short_row(kernel_ir::kernel_fn fn, std::span<const kernel_ir::operand_arg> operands,
                          const uint64_t* scalars, int64_t elements);

/// Returns the status bits that the kernel raised (kernel_ir::status); the caller throws. An empty
/// space calls nothing, save a reduction of empty rows, which stores identities.
uint64_t launch(const launch_request& request);

/// For who divides a launch himself: counts it once, and runs a part of its space on the calling
/// thread alone.
void count_launch(const launch_request& request);
uint64_t launch_part(const launch_request& part);

}  // namespace sinter::runtime
