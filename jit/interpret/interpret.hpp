// The kernel IR's interpreter: simple and slow, one scalar at a time. It is the reference for every
// code generator, and runs plans under SINTER_JIT=interpret.
#pragma once

#include "jit/kernel_ir/call.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/kernel_ir/rows/fragments.hpp"
#include "jit/kernel_ir/schedule.hpp"

namespace sinter::kernel_ir {

/// The bytes [lo, hi) that accesses through an operand must stay in, and the alignment of each
/// access.
struct operand_bounds {
    const char* lo;
    const char* hi;
    std::size_t alignment;
};

/// A prepared kernel: primitives, their order, the parts of its reductions. Const calls may run
/// concurrently.
class interpreter final : public call_runner {
public:
    /// Takes a kernel of either level; rows are decomposed.
    explicit interpreter(const kernel& k);

    /// Runs `call`, in any mode except `runs`. If `bounds` is given (one per operand), an access
    /// outside them throws InternalError before it is made.
    void run(const kernel_call& call, const operand_bounds* bounds = nullptr) const;

    void run_call(const kernel_call& call) const override;
    means by() const override { return means::interpreter; }

    // ---- one long row in parts. For each stage: `partials` calls over all chunks, finish_stage,
    // and `elements` calls over all chunks if the stage stores. At the end finish_row.

    /// Merges the chunk states of `call.stage` from `call.partials` and writes the reductions'
    /// values into `row_values`, which later calls read.
    void finish_stage(const kernel_call& call, uint64_t* row_values) const;
    /// Computes and stores everything that is stored once per row.
    void finish_row(const kernel_call& call, const operand_bounds* bounds = nullptr) const;

    const kernel& primitives() const { return kernel_; }
    const schedule& order() const { return schedule_; }
    /// Returns the number of words of kernel_call::row_values.
    std::size_t row_value_count() const { return reductions_.size(); }

private:
    friend class interpretation;
    struct reduction {
        value_id id;
        reduction_fragments parts;
    };

    kernel kernel_;
    schedule schedule_;
    std::vector<reduction> reductions_;  // in body order
    std::vector<int32_t> slot_of_;       // per value: index in reductions_, or -1
};

/// Runs a kernel of either level; see interpreter::run.
void interpret(const kernel& k, const kernel_call& call, const operand_bounds* bounds = nullptr);

}  // namespace sinter::kernel_ir
