#include "jit/launch/reduction_plan.hpp"

#include "jit/kernel_ir/schedule.hpp"

#include <sinter/op/op.hpp>

namespace sinter::runtime {
namespace {

using kernel_ir::instr;
using kernel_ir::opcode;
using kernel_ir::value_id;

/// Finds the scalar or constant that is a reduction's parameter; returns false if it is computed.
bool find_parameter(const kernel_ir::kernel& k, const instr& reduce, planned_reduction& planned) {
    if (op::reductions[reduce.row].kind != op::reduction_kind::moments) return true;
    if (reduce.b == kernel_ir::none) return false;
    const instr& parameter = k.body[static_cast<std::size_t>(reduce.b)];
    if (parameter.op == opcode::scalar)
        planned.scalar = parameter.a;
    else if (parameter.op == opcode::constant)
        planned.constant = parameter.imm;
    else
        return false;
    return true;
}

}  // namespace

reduction_plan plan_reductions(const kernel_ir::kernel& k) {
    reduction_plan plan;
    plan.sharable = k.along == kernel_ir::lanes::element && !k.keeps_values() && !k.one_chunk();
    std::vector<std::size_t> ordinal(k.body.size());
    for (std::size_t v = 0; v < k.body.size(); ++v)
        if (k.body[v].op == opcode::reduce) ordinal[v] = plan.reductions++;

    kernel_ir::schedule schedule = kernel_ir::make_schedule(k);
    for (const kernel_ir::stage& stage : schedule.stages) {
        kernel_ir::partial_layout layout = kernel_ir::make_partial_layout(k, stage);
        planned_stage& planned = plan.stages.emplace_back();
        planned.words = layout.words;
        planned.stores = !stage.stores.empty();
        for (std::size_t i = 0; i < stage.reduces.size(); ++i) {
            auto v = static_cast<std::size_t>(stage.reduces[i]);
            const instr& r = k.body[v];
            planned_reduction& p = planned.reductions.emplace_back();
            p.row = r.row;
            p.accumulator = kernel_ir::accumulator_type(r.row, r.in);
            p.result = r.type;
            p.ordinal = ordinal[v];
            p.offset = layout.offsets[i];
            if (!find_parameter(k, r, p)) plan.sharable = false;
        }
    }
    for (value_id v : schedule.after)
        if (k.body[static_cast<std::size_t>(v)].op == opcode::store) plan.stores_after = true;
    return plan;
}

reduction_plan make_reduction_plan(const kernel_ir::kernel& k) {
    // At primitive level equal reductions are merged, so the numbering must be that of this level.
    return plan_reductions(k.primitive ? k : kernel_ir::decompose(k));
}

}  // namespace sinter::runtime
