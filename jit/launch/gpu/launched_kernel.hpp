// The properties of a kernel that a launch needs. A planner knows more.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace sinter::cache {
struct device_kernel;
}

namespace sinter::plan {

struct gpu_rows;

struct launched_kernel {
    kernel_ir::kernel ir;
    std::vector<uint8_t> key;  // serialised `ir`
    std::vector<int64_t> extents;
    int reduced = 1;       // number of innermost extents that form the reduced range
    bool guarded = false;  // true if it can raise a status
    bool streams = true;   // true without reductions: each element is read before it is written
    int64_t cost = 1;      // per element: kernel_ir::element_cost
    std::shared_ptr<const gpu_rows> rows;                              // of reductions on a GPU
    mutable std::atomic<const cache::device_kernel*> on_gpu{nullptr};  // its code, once looked up
};

}  // namespace sinter::plan
