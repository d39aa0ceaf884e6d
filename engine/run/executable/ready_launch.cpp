#include "engine/run/executable/ready_launch.hpp"

#include "engine/measure/autotune.hpp"
#include "runtime/report/stats.hpp"

namespace sinter::plan {

const kernel_step* ready_launch::kernel_of(const executable& e) {
    const kernel_step* k = e.data.only_kernel();
    if (!k || k->operands.size() > most_operands ||
        (e.other && e.other->now() != autotuner::state::fused))
        return nullptr;
    const loaded_kernel& loaded = e.of(*k);
    return loaded.fn.load(std::memory_order_acquire) && !loaded.own ? k : nullptr;
}

ready_launch::ready_launch(const executable& e)
    : ready_launch(*e.data.only_kernel(), e.kernels()[0]) {}

ready_launch::ready_launch(const kernel_step& k, const loaded_kernel& loaded)
    : extents_(k.extents),
      strides_(k.operands.size() * k.extents.size()),
      reductions_(loaded.reductions),
      request_(launch_of(loaded)),
      timing_(loaded.timing),
      bytes_(k.bytes) {
    const std::size_t rank = extents_.size();
    for (std::size_t i = 0; i < k.operands.size(); ++i) {
        const operand_binding& o = k.operands[i];
        const kernel_ir::operand& of = k.ir.operands[i];
        const bool index = of.use == kernel_ir::role::index;
        const auto item = index ? 1 : static_cast<int64_t>(elementSize(of.type));
        int64_t* const strides = &strides_[i * rank];
        for (std::size_t d = 0; d < rank; ++d) strides[d] = o.strides[d] * item;
        space_.push_back({nullptr, strides, item, o.spread});
        row_.push_back({nullptr, rank == 2 ? strides[0] : 0, rank >= 1 ? strides[rank - 1] : 0});
    }
    request_.fn = loaded.fn.load(std::memory_order_acquire);
    if (reductions_) request_.reductions = &*reductions_;
    request_.extents = extents_.data();
    request_.operands = space_;
    const bool one_row = rank == 1 && !request_.reduction && !request_.flat && !request_.few &&
                         extents_[0] > 0 && extents_[0] < runtime::short_row(k.cost);
    one_call_ = one_row || runtime::is_one_call(request_);
    n1_ = rank == 2 ? extents_[0] : 1;
    n0_ = rank >= 1 ? extents_[rank - 1] : 1;
    for (const int64_t extent : extents_) elements_ *= extent;
    brief_ = may_hold_mutex(elements_, k.cost);
}

void ready_launch::call(const kernel_ir::operand_arg* row, const uint64_t* scalars) const {
    runtime::count().kernels_launched.add();
    runtime::call_rows(request_.fn, row, scalars, n1_, n0_);
}

void ready_launch::launch(std::span<const runtime::launch_operand> space,
                          std::span<const uint64_t> scalars) const {
    runtime::launch_request q = request_;
    q.operands = space;
    q.scalars = scalars;
    runtime::launch(q);
}

}  // namespace sinter::plan
