// Runs one kernel over a strided space on the CPU. The last dimension is the kernel's n0 (for a
// reduction the reduced range), the one before it n1. The launcher walks the other dimensions, so a
// kernel has no rank, and divides the rows and elements among threads.
#pragma once

#include "jit/kernel_ir/call.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace sinter::runtime {

struct reduction_plan;

/// Returns the size in bytes from which a result exceeds the caches and is written with streaming
/// stores.
int64_t past_caches_from();

struct launch_operand {
    char* base;              // role::index: the start index, as an integer
    const int64_t* strides;  // bytes, one per dimension; role::index: index steps
    int64_t item = 0;        // bytes of an element; needed if `reduced` > 1 or `flat`
    bool spread = false;     // see launch_request::flat
};

struct launch_request {
    kernel_ir::kernel_fn fn = nullptr;  // compiled code; if null, `runner` runs the calls
    const kernel_ir::call_runner* runner = nullptr;
    /// For a kernel with reductions. If null, threads do not share a long row.
    const reduction_plan* reductions = nullptr;
    kernel_ir::lanes along = kernel_ir::lanes::element;
    bool reduction = false;
    bool runs = false;             // the kernel's rows arrive run by run
    bool few = false;              // rows have few elements, see kernel_call::n2
    bool flat = false;             // rows are short and run as one: flat_rows.hpp
    int output = -1;               // the only output operand; -1: several outputs, or streaming
                                   // stores are ruled out
    int64_t past_caches_from = 0;  // bytes of that output; 0 means past_caches_from()
    int64_t cost = 1;              // primitives per element
    int rank = 0;
    int reduced = 1;  // number of innermost dimensions that form the reduced range
    const int64_t* extents = nullptr;
    std::span<const launch_operand> operands = {};
    std::span<const uint64_t> scalars = {};
};

constexpr int64_t light_grain = 16384;  // for kernels that read many bytes per element

/// Returns the fewest elements of `cost` primitives each that a thread should get: about 5 us of
/// computation.
constexpr int64_t grain_of_cost(int64_t cost) {
    constexpr int64_t primitives = 300000, fewest = 512;
    return std::max(primitives / std::max<int64_t>(cost, 1), fewest);
}

/// Returns the length below which a row never goes to several threads.
constexpr int64_t short_row(int64_t cost) { return 2 * std::min(grain_of_cost(cost), light_grain); }

/// Does what `launch` does, for one row of 1 to `short_row` elements without reductions. Setting up
/// a launch would take longer than such a row.
uint64_t launch_short_row(kernel_ir::kernel_fn fn, std::span<const kernel_ir::operand_arg> operands,
                          const uint64_t* scalars, int64_t elements);

/// Calls a compiled kernel for all rows and elements and returns the status bits that it raised.
/// For callers that count the launch themselves.
uint64_t call_rows(kernel_ir::kernel_fn fn, const kernel_ir::operand_arg* operands,
                   const uint64_t* scalars, int64_t rows, int64_t elements);

/// Returns true if one call of the compiled kernel, in mode `rows`, runs a request of few elements.
bool is_one_call(const launch_request& request);

/// Runs the kernel and returns the status bits that it raised (kernel_ir::status); the caller
/// throws. An empty space runs nothing, except that a reduction of empty rows stores identities.
uint64_t launch(const launch_request& request);

/// For callers that divide a launch themselves: `count_launch` counts it once, and `launch_part`
/// runs a part of its space on the calling thread only.
void count_launch(const launch_request& request);
uint64_t launch_part(const launch_request& part);

}  // namespace sinter::runtime
