// Reductions of few elements that run without a plan: the kernels of plans of one reduction over
// one dense tensor, found by the reduction and the sizes.
#pragma once

#include "engine/run/execute.hpp"

namespace sinter::plan {

struct direct_reduction {
    static constexpr int most_dims = 4;

    // ---- what it computes
    op::reduction row;
    ScalarType from, in, to;  // dtypes of the elements, of the computation and of the result
    uint64_t reduced;         // dimensions, one bit each
    int ndim;
    int64_t sizes[most_dims];
    // ---- its call
    kernel_ir::kernel_fn fn;
    int64_t n1, n0;
    int input;                           // operand number; the other one is the result
    kernel_ir::operand_arg operands[2];  // without addresses
    int64_t bytes;                       // of the plan that it came from, whose runs are timed
    std::shared_ptr<kernel_timing> timing;
    code_cache::run_count* runs;  // of the work that it came from; null if nothing is recorded
};

/// Returns the kernel of a reduction over a dense tensor, which lives as long as the process, or
/// null.
const direct_reduction* find_direct_reduction(const Node& n);
/// Keeps the only kernel of a plan whose only node is `n`, if it is such a reduction.
void learn_direct_reduction(const Node& n, const executable& e);

}  // namespace sinter::plan
