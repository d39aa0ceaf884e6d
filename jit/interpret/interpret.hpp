// The kernel IR's interpreter: slow and obvious, one scalar at a time. The oracle of every code
// generator, and what runs plans under SINTER_JIT=interpret.
#pragma once

#include "jit/kernel_ir/call.hpp"
#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/kernel_ir/rows/fragments.hpp"
#include "jit/kernel_ir/schedule.hpp"

namespace sinter::kernel_ir {

/// The bytes [lo, hi) that accesses through an operand must stay in, and their alignment.
struct operand_bounds {
    const char* lo;
    const char* hi;
    std::size_t alignment;
};

/// A kernel made ready: primitives, their order, the parts of its reductions. Const calls may run
/// concurrently.
class interpreter final : public call_runner {
public:
    /// Takes both levels; rows are decomposed.
    explicit interpreter(const kernel& k);

    /// Runs `call`, in any mode. With `bounds`, one for each operand, an access outside throws
    /// InternalError before it is made.
    void run(const kernel_call& call, const operand_bounds* bounds = nullptr) const;

    void run_call(const kernel_call& call) const override;
    means by() const override { return means::interpreter; }

    // ---- one long row in parts: for each stage, `partials` calls over all chunks, then
    // finish_stage; `elements` calls over all chunks where the stage stores; at the end finish_row.

    /// Merges the chunk states of `call.stage` from `call.partials` and writes the reductions'
    /// values into `row_values`, which later calls take.
    void finish_stage(const kernel_call& call, uint64_t* row_values) const;
    /// Computes and stores what is stored once a row.
    void finish_row(const kernel_call& call, const operand_bounds* bounds = nullptr) const;

    const kernel& primitives() const { return kernel_; }
    const schedule& order() const { return schedule_; }
    /// Words of kernel_call::row_values.
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

/// Both levels; see interpreter::run.
void interpret(const kernel& k, const kernel_call& call, const operand_bounds* bounds = nullptr);

}  // namespace sinter::kernel_ir
