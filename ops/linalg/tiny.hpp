// Many small matrices, for which a library call costs more than the work: Gaussian elimination with
// partial pivoting, written as pointwise expressions over the batch. The planner fuses it into one
// kernel, which takes one matrix per vector lane.
#pragma once

#include "ops/common/op_checks.hpp"

#include <vector>

namespace sinter::ops {

/// Returns true if elimination is faster than LAPACK, for `k` right sides. Depends on shape and
/// dtype only. For 10,000 Float matrices with one right side on one thread, it takes 0.03, 0.05,
/// 0.06 and 0.12 of LAPACK's time for n = 2, 3, 4 and 6. Building the expression and replaying its
/// plan takes up to 50 us.
bool are_tiny(const TensorImpl& A, int64_t k);

/// The rows of A, each followed by its row of the right sides, after the elimination.
struct tiny_elimination {
    std::vector<std::vector<Tensor>> rows;  // [row][column], a value for each matrix
    Tensor sign;                            // -1 if rows were swapped an odd number of times
    Tensor info;                            // like LAPACK's

    /// `B` is (batch..., n, k), or undefined for none.
    tiny_elimination(const Tensor& A, const Tensor& B);
    /// Returns X of A X = B. Computes its elements and info at the call; joining them into X is
    /// pending.
    Tensor solution_now() const;
};

}  // namespace sinter::ops
