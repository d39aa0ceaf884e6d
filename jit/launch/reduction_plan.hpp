// The properties of a kernel with reductions that a launch needs to share its rows among threads.
// Made once per kernel and kept beside its code.
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
    int64_t offset;       // of its state within a chunk's states
    int32_t scalar = -1;  // number of the argument that is its parameter; -1: `constant` is
    uint64_t constant = 0;
};

struct planned_stage {
    std::vector<planned_reduction> reductions;
    int64_t words = 0;  // of a chunk's states
    bool stores = false;
};

struct reduction_plan {
    std::vector<planned_stage> stages;
    std::size_t reductions = 0;
    bool stores_after = false;
    /// False if threads cannot share a row: lanes run along rows, rows are short or keep values, or
    /// a reduction's parameter is computed.
    bool sharable = false;
};

/// Returns the plan of a kernel of either level for code at primitive level.
reduction_plan make_reduction_plan(const kernel_ir::kernel& k);

/// Returns the plan of a kernel for a runner that runs it at its present level.
reduction_plan plan_reductions(const kernel_ir::kernel& k);

}  // namespace sinter::runtime
