#include "engine/graph/deferred.hpp"
#include "engine/run/library/library_node.hpp"
#include "engine/run/steps/steps.hpp"

namespace sinter::plan {

bool failed_operand(const plan_run& r, const plan_step& s) {
    return plan_run::failed_source(r.node(s.library)) != nullptr;
}

void run_library_step(plan_run& r, const plan_step& s) {
    Node& n = r.node(s.library);
    if (const std::exception_ptr error = plan_run::failed_source(n)) return fail(*n.result, error);
    if (!r.on_cpu()) inherit_checks(n);
    run_library_node(
        n, [&](const Version& v, uint32_t mine) { return r.needed(s, v, mine) || r.is_base(v); },
        r.tests());
}

}  // namespace sinter::plan
