// Runs one row of a reduction in parts, stage by stage, as jit/kernel_ir/call.hpp describes. The
// caller decides how and on which threads the chunks of a stage run.
#pragma once

#include "jit/kernel_ir/reduce_order.hpp"
#include "jit/launch/merge_states.hpp"
#include "jit/launch/reduction_plan.hpp"
#include "jit/launch/walk.hpp"
#include "runtime/memory/scratch.hpp"

#include <algorithm>
#include <atomic>

namespace sinter::runtime {

class row_stages {
public:
    /// For rows of `n0` elements of a kernel that is `sharable`.
    row_stages(const launch_request& r, int64_t n0)
        : request_(r),
          plan_(*r.reductions),
          n0_(n0),
          row_values_(word * static_cast<int64_t>(plan_.reductions)),
          partials_(word * kernel_ir::chunk_count(n0) * most_words(plan_)) {}

    /// Calls `run_chunks(mode, stage)` for every pass over the chunks of a row, and once with the
    /// stage count if stores follow the last stage.
    template <class F>
    void run(const F& run_chunks) {
        using kernel_ir::call_mode;
        const auto stages = static_cast<int64_t>(plan_.stages.size());
        for (int64_t at = 0; at < stages; ++at) {
            const planned_stage& stage = plan_.stages[static_cast<std::size_t>(at)];
            if (!stage.reductions.empty()) {
                run_chunks(call_mode::partials, at);
                for (const planned_reduction& r : stage.reductions) merge(r, stage.words);
            }
            if (stage.stores) run_chunks(call_mode::elements, at);
        }
        if (plan_.stores_after) run_chunks(call_mode::elements, stages);
    }

    int64_t stages() const { return static_cast<int64_t>(plan_.stages.size()); }

    /// Runs chunks [begin, end), which `pieces` locates if the mode is `runs`. Any thread may call
    /// it.
    void call(const kernel_ir::operand_arg* arguments, kernel_ir::call_mode mode, int64_t stage,
              int64_t begin, int64_t end, const uint64_t* pieces = nullptr) {
        uint64_t raised = 0;
        kernel_ir::kernel_call c{};
        c.operands = arguments;
        c.scalars = request_.scalars.data();
        c.status = &raised;
        c.n1 = 1;
        c.n0 = n0_;
        c.mode = mode;
        c.stage = stage;
        c.chunk_begin = begin;
        c.chunk_end = end;
        c.partials = partials_.as<uint64_t>();
        c.row_values = row_values_.as<uint64_t>();
        c.pieces = pieces;
        call_kernel(request_, c);
        if (raised) status_.fetch_or(raised, std::memory_order_relaxed);
    }

    uint64_t status() const { return status_.load(std::memory_order_relaxed); }

private:
    static constexpr int64_t word = sizeof(uint64_t);

    static int64_t most_words(const reduction_plan& plan) {
        int64_t most = 0;
        for (const planned_stage& stage : plan.stages) most = std::max(most, stage.words);
        return most;
    }

    void merge(const planned_reduction& r, int64_t words) {
        uint64_t parameter = r.constant;
        if (r.scalar >= 0) parameter = request_.scalars[static_cast<std::size_t>(r.scalar)];
        row_values_.as<uint64_t>()[r.ordinal] =
            merge_states({.reduction = r.row,
                          .accumulator = r.accumulator,
                          .result = r.result,
                          .words = partials_.as<uint64_t>() + r.offset,
                          .stride = words,
                          .n = n0_,
                          .parameter = parameter});
    }

    const launch_request& request_;
    const reduction_plan& plan_;
    int64_t n0_;
    scratch row_values_, partials_;
    std::atomic<uint64_t> status_{0};
};

}  // namespace sinter::runtime
