// Kernels that run over the result of a product piece by piece, while a piece is in the caches of
// the thread that made it.
#pragma once

#include "jit/plan/plan.hpp"
#include "runtime/launch.hpp"

#include <span>
#include <vector>

namespace sinter::plan {

/// Joins each product's step with that of the kernel that reads it next, where a piece of the
/// result is a part of the kernel's space. Stands after the kernels are built, since the order of
/// their loops decides that; before last reads are found, since it moves and joins steps.
void join_epilogues(const work& w, plan& p);

/// A launch of such a kernel, for pieces of the product.
class piecewise_launch {
public:
    /// `whole` has the kernel's own space; it outlives this.
    piecewise_launch(const epilogue& e, const runtime::launch_request& whole);

    void run(int64_t row, int64_t rows, int64_t col, int64_t cols) const;

private:
    const epilogue& e_;
    const runtime::launch_request& whole_;
    std::vector<int64_t> strides_;  // per operand, over the dimensions of `e_`
};

}  // namespace sinter::plan
