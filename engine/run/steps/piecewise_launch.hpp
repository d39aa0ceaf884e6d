// Runs a prologue or epilogue of a product while a piece of the matrix is in the thread's caches.
#pragma once

#include "engine/plan/plan.hpp"
#include "jit/launch/launch.hpp"

#include <span>
#include <vector>

namespace sinter::plan {

/// A launch of a kernel that is joined with a product (engine/plan/products/gemm_fusion.hpp).
class piecewise_launch {
public:
    /// `whole` is the launch over the kernel's full space; it outlives this.
    piecewise_launch(const piecewise& p, const runtime::launch_request& whole);

    void run(int64_t row, int64_t rows, int64_t col, int64_t cols) const;
    /// Makes rows of the matrix, the first of them at `to`.
    void make_rows(int64_t row, int64_t rows, char* to) const;

private:
    void run_at(int64_t row, int64_t rows, int64_t col, int64_t cols, char* matrix) const;

    const piecewise& p_;
    const runtime::launch_request& whole_;
    std::vector<int64_t> strides_;  // per operand, over the dimensions of `p_`
};

}  // namespace sinter::plan
