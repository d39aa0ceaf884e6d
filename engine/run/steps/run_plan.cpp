#include "engine/run/steps/run_plan.hpp"

#include "engine/graph/deferred.hpp"
#include "engine/run/executable/gpu_replay.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "engine/run/steps/compile_ahead.hpp"
#include "engine/run/steps/steps.hpp"

namespace sinter::plan {
namespace {

void run_steps(plan_run& r) {
    for (const plan_step& s : r.code.data.steps) {
        if (s.library < 0)
            run_kernel(r, *s.kernel, s);
        else if (s.bias >= 0)
            run_bias_step(r, s);
        else if (s.before || s.kernel)
            run_product_step(r, s);
        else
            run_library_step(r, s);
        r.end(s);
    }
}

/// Waits for the tests that the plan's values depend on. Returns true if some fail by them.
bool fail_by_checks(const subgraph& w) {
    bool any = false;
    for (Node* n : w.nodes)
        if (inherit_checks(*n))
            if (const std::exception_ptr error = first_cause(*n->result, nullptr)) {
                fail(*n->result, error);
                any = true;
            }
    return any;
}

/// Runs a GPU plan whose launches may be submitted to the stream together.
void run_replayed(plan_run& r) {
    replayed_run replay(r.code, r.work.device);
    r.replay = &replay;
    try {
        run_steps(r);
        replay.put();
    } catch (...) {
        replay.put_what_can_be();  // as if launches were submitted one by one
        throw;
    }
    r.replay = nullptr;
    replay.finish();
}

}  // namespace

void run_plan(const executable& e, subgraph& w, executor how) {
    plan_run r(e, w, how);
    if (!r.on_cpu()) {
        if (r.tests() == tests_of_values::awaited && fail_by_checks(w)) return run_nodes_apart(r);
        compile_kernels_ahead(r);
    }
    if (e.replay && !r.any_failed())
        run_replayed(r);
    else
        run_steps(r);
    r.mark_survivors();
}

}  // namespace sinter::plan
