// Kernels that make rows of a product's operand or take pieces of its result, while these are in
// the caches of the thread that has them.
#pragma once

#include "engine/plan/plan.hpp"
#include "jit/launch/launch.hpp"

#include <span>
#include <vector>

namespace sinter::plan {

/// Joins each product's step with that of the kernel that reads it next, and with that of a kernel
/// that makes its first operand for it alone, where a piece of the matrix is a part of the kernel's
/// space. Stands after the kernels are built, since the order of their loops decides that; before
/// last reads are found, since it moves and joins steps.
void join_products(const work& w, plan& p);

/// Whether a step reads a value.
bool reads(const plan_step& s, const work& w, int value);

/// A launch of such a kernel, for pieces of the matrix.
class piecewise_launch {
public:
    /// `whole` has the kernel's own space; it outlives this.
    piecewise_launch(const piecewise& p, const runtime::launch_request& whole);

    void run(int64_t row, int64_t rows, int64_t col, int64_t cols) const;
    /// With the first of these rows of the matrix at `to`.
    void make_rows(int64_t row, int64_t rows, char* to) const;

private:
    void run_at(int64_t row, int64_t rows, int64_t col, int64_t cols, char* matrix) const;

    const piecewise& p_;
    const runtime::launch_request& whole_;
    std::vector<int64_t> strides_;  // per operand, over the dimensions of `p_`
};

}  // namespace sinter::plan
