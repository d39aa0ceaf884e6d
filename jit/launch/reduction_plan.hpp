// What a launch must know of a kernel with reductions to share its rows among threads. Made once a
// kernel and kept beside its code.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <cstdint>
#include <vector>

namespace sinter::runtime {

struct planned_reduction {
    uint16_t row;  // of op/reduce.def
    kernel_ir::mtype accumulator;
    ScalarType result;
    std::size_t ordinal;  // among the kernel's reductions: its word in row_values
    int64_t offset;       // of its state in a chunk's
    int32_t scalar = -1;  // argument that is its parameter, or:
    uint64_t constant = 0;
};

struct planned_stage {
    std::vector<planned_reduction> reductions;
    int64_t words = 0;  // a chunk's states
    bool stores = false;
};

struct reduction_plan {
    std::vector<planned_stage> stages;
    std::size_t reductions = 0;
    bool stores_after = false;
    /// False where threads cannot share a row: lanes run along rows, or the launcher cannot know a
    /// parameter.
    bool sharable = false;
};

/// Of a kernel at either level, for code at primitive level.
reduction_plan make_reduction_plan(const kernel_ir::kernel& k);

/// Of a kernel for what runs it at the level that it has.
reduction_plan plan_reductions(const kernel_ir::kernel& k);

}  // namespace sinter::runtime
