#include "engine/run/steps/compile_ahead.hpp"

#include "engine/run/steps/kernel_launch.hpp"
#include "jit/launch/gpu/compile_ahead.hpp"

#include <deque>

namespace sinter::plan {

void compile_kernels_ahead(plan_run& r) {
    if (r.code.data.kernels < 2 || r.code.compiled_ahead.exchange(true)) return;
    std::deque<prepared_launch> prepared;
    std::deque<runtime::arena_vector<codegen::argument_operand>> operands;
    runtime::arena_vector<runtime::expected_launch> launches;
    for (const plan_step& s : r.code.data.steps) {
        if (!s.kernel || s.bias >= 0) continue;
        const kernel_step& k = *s.kernel;
        // Memory that is not there yet is aligned, so that offsets alone determine the form.
        const runtime::arena_vector<runtime::buffer_ptr> none(k.outputs.size());
        prepare(r, k, none, prepared.emplace_back());
        for (auto& to = operands.emplace_back(); const auto& o : prepared.back().operands)
            to.push_back({o.base, o.strides});
        launches.push_back({&k, operands.back()});
    }
    if (launches.size() > 1) runtime::compile_ahead(r.work.device, launches);
}

}  // namespace sinter::plan
