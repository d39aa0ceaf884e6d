// Matrices so small, and so many, that a library's call for each costs more than its work: Gauss's
// elimination with partial pivoting, written as pointwise expressions over the batch. The planner
// fuses it into one kernel, which works on as many matrices at a time as a vector has lanes.
#pragma once

#include "ops/common/op_checks.hpp"

#include <vector>

namespace sinter::front {

/// Whether that is faster, for `k` right sides. Depends on shape and dtype alone. Of the time that
/// LAPACK takes for 10,000 matrices of floats and one right side on one thread, it takes 0.03,
/// 0.05, 0.06 and 0.12 for n = 2, 3, 4 and 6; to write it down and to replay its plan takes up to
/// 50 us.
bool are_tiny(const TensorImpl& A, int64_t k);

/// Rows of A with those of the right sides behind them, after the elimination.
struct tiny_elimination {
    std::vector<std::vector<Tensor>> rows;  // [row][column], a value for each matrix
    Tensor sign;                            // -1 where rows were swapped an odd number of times
    Tensor info;                            // as LAPACK's

    /// `B` (batch..., n, k); undefined: none.
    tiny_elimination(const Tensor& A, const Tensor& B);
    /// X of A X = B, computed now, with info; X is pending.
    Tensor solution_now() const;
};

}  // namespace sinter::front
