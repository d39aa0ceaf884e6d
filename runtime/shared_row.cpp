#include "runtime/shared_row.hpp"

#include "jit/kernel_ir/reduce_order.hpp"
#include "runtime/fp_environment.hpp"
#include "runtime/merge_states.hpp"
#include "runtime/pool.hpp"
#include "runtime/reduction_plan.hpp"
#include "runtime/threads.hpp"

#include <algorithm>
#include <atomic>

namespace sinter::runtime {
namespace {

using kernel_ir::call_mode;
using kernel_ir::chunk_count;

/// Words of the pool: a long row has many chunks, and the next launch wants the same memory.
class pool_words {
public:
    explicit pool_words(std::size_t words)
        : bytes_(words * sizeof(uint64_t)),
          data_(static_cast<uint64_t*>(allocate_uncounted(bytes_))) {}
    ~pool_words() { release_uncounted(data_, bytes_); }
    pool_words(const pool_words&) = delete;
    pool_words& operator=(const pool_words&) = delete;
    uint64_t* get() const { return data_; }

private:
    std::size_t bytes_;
    uint64_t* data_;
};

class shared_rows {
public:
    shared_rows(const space& s, int64_t grain)
        : space_(s),
          plan_(*s.request.reductions),
          chunks_(chunk_count(s.n0)),
          grain_(std::max<int64_t>(grain / kernel_ir::reduce_chunk, 1)),
          row_values_(plan_.reductions),
          partials_(static_cast<std::size_t>(chunks_ * most_words(plan_))) {}

    uint64_t run() {
        fp_environment environment;
        walker w(space_, 0);
        for (int64_t o = 0; o < space_.outer; ++o) {
            if (o > 0) w.next();
            for (int64_t row = 0; row < space_.n1; ++row) run_row(w.arguments(row, 0));
        }
        return status_.load(std::memory_order_relaxed);
    }

private:
    static int64_t most_words(const reduction_plan& plan) {
        int64_t most = 0;
        for (const planned_stage& stage : plan.stages) most = std::max(most, stage.words);
        return most;
    }

    void run_row(const kernel_ir::operand_arg* arguments) {
        auto stages = static_cast<int64_t>(plan_.stages.size());
        for (int64_t at = 0; at < stages; ++at) {
            const planned_stage& stage = plan_.stages[static_cast<std::size_t>(at)];
            if (!stage.reductions.empty()) {
                run_chunks(arguments, call_mode::partials, at);
                for (const planned_reduction& r : stage.reductions) merge(r, stage.words);
            }
            if (stage.stores) run_chunks(arguments, call_mode::elements, at);
        }
        if (plan_.stores_after) call(arguments, call_mode::elements, stages, 0, 0);
    }

    void run_chunks(const kernel_ir::operand_arg* arguments, call_mode mode, int64_t stage) {
        parallel_for(0, chunks_, grain_, [&](int64_t begin, int64_t end) {
            fp_environment environment;
            call(arguments, mode, stage, begin, end);
        });
    }

    void call(const kernel_ir::operand_arg* arguments, call_mode mode, int64_t stage, int64_t begin,
              int64_t end) {
        uint64_t raised = 0;
        kernel_ir::kernel_call c{};
        c.operands = arguments;
        c.scalars = space_.request.scalars.data();
        c.status = &raised;
        c.n1 = 1;
        c.n0 = space_.n0;
        c.mode = mode;
        c.stage = stage;
        c.chunk_begin = begin;
        c.chunk_end = end;
        c.partials = partials_.get();
        c.row_values = row_values_.get();
        call_kernel(space_.request, c);
        if (raised) status_.fetch_or(raised, std::memory_order_relaxed);
    }

    void merge(const planned_reduction& r, int64_t words) {
        uint64_t parameter = r.constant;
        if (r.scalar >= 0) parameter = space_.request.scalars[static_cast<std::size_t>(r.scalar)];
        row_values_.get()[r.ordinal] = merge_states({.reduction = r.row,
                                                     .accumulator = r.accumulator,
                                                     .result = r.result,
                                                     .words = partials_.get() + r.offset,
                                                     .stride = words,
                                                     .n = space_.n0,
                                                     .parameter = parameter});
    }

    const space& space_;
    const reduction_plan& plan_;
    int64_t chunks_, grain_;
    pool_words row_values_, partials_;
    std::atomic<uint64_t> status_{0};
};

}  // namespace

bool shares_rows(const space& s, int threads) {
    const reduction_plan* plan = s.request.reductions;
    if (!plan || !plan->sharable || chunk_count(s.n0) <= 8) return false;
    // Whole rows keep this share of the threads busy; below three quarters sharing is faster.
    int64_t rounds = (s.rows() + threads - 1) / threads;
    return 4 * s.rows() < 3 * rounds * threads;
}

uint64_t run_shared_rows(const space& s, int64_t grain) { return shared_rows(s, grain).run(); }

}  // namespace sinter::runtime
