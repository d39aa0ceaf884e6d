// The properties of a kernel that a launch needs. A planner knows more.
#pragma once

#include "jit/codegen/c_like/program.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"

#include <atomic>
#include <optional>
#include <vector>

namespace sinter::code_cache {
struct device_kernel;
}

namespace sinter::runtime {

/// How a GPU runs the rows of a kernel with reductions (rows.hpp).
struct gpu_rows {
    codegen::row_form form;
    codegen::row_form unaligned;  // if an operand does not begin at a multiple of 16 bytes
    int64_t span = 64;            // chunks per part
    int64_t together = 1;         // rows that a block merges

    bool operator==(const gpu_rows&) const = default;
};

struct launched_kernel {
    kernel_ir::kernel ir;
    std::vector<uint8_t> key;  // serialised `ir`
    std::vector<int64_t> extents;
    int reduced = 1;       // number of innermost extents that form the reduced range
    bool guarded = false;  // true if it can raise a status
    bool streams = true;   // true without reductions: each element is read before it is written
    int64_t cost = 1;      // per element: kernel_ir::element_cost
    std::optional<gpu_rows> rows;  // reductions on a GPU only

    bool operator==(const launched_kernel&) const = default;
};

/// The code that a GPU kernel ran last, or null. A launch looks it up again only for another form.
using device_code = std::atomic<const code_cache::device_kernel*>;

}  // namespace sinter::runtime
