#include "engine/run/execute.hpp"

#include "engine/measure/autotune.hpp"
#include "engine/measure/timing.hpp"
#include "engine/measure/undecided.hpp"
#include "engine/run/brief_plans.hpp"
#include "engine/run/executable/look_up.hpp"
#include "engine/run/fast_path.hpp"
#include "engine/run/steps/run_plan.hpp"
#include "runtime/base/fault.hpp"

#include <sinter/error.hpp>

#include <chrono>

namespace sinter::plan {
namespace {

void run(const executable& e, subgraph& w, executor how) {
    run_plan(e, w, how);
    const bool on_cpu = w.device == runtime::main_memory;
    if (w.nodes.size() == 1 && how != executor::interpret && on_cpu)
        learn_fast_path(*w.nodes[0], e, how);
    if (on_cpu && (how == executor::compiled || how == executor::background))
        learn_brief_plan(w, e);
}

/// Returns true if the kernels of the other plan are compiled. If one fails to compile, settles for
/// the fused plan.
bool get_apart(autotuner& c, const subgraph& w, executor how) {
    if (c.apart_ready()) return true;
    if (!c.worth_a_look()) return false;
    try {
        if (fault("no-apart")) throw InternalError("[plan] planted");
        look_up_all(c.apart(), how, w);
    } catch (const Error&) {
        c.settle(side::fused);
        return false;
    }
    if (!has_code(c.apart())) return false;
    c.set_apart_ready();
    return true;
}

/// Runs and times a turn. If the other plan throws, settles for the fused plan.
void run_timed(const executable& e, subgraph& w, executor how) {
    autotuner& c = *e.other;
    const side turn = c.next();
    const auto start = std::chrono::steady_clock::now();
    try {
        run_plan(turn == side::apart ? c.apart() : e, w, how);
    } catch (...) {
        if (turn == side::apart) c.settle(side::fused);
        throw;
    }
    c.record(turn, ns_since(start));
}

}  // namespace

void execute(const executable& e, subgraph& w, executor how) {
    if (!e.other) return run(e, w, how);
    switch (e.other->now()) {
        case autotuner::state::fused: return run(e, w, how);
        case autotuner::state::apart: return run(e.other->apart(), w, how);
        case autotuner::state::measuring: break;
    }
    if (how >= executor::interpret) return run(e, w, how);
    note_undecided();
    if (!has_code(e) || !get_apart(*e.other, w, how)) return run(e, w, how);
    run_timed(e, w, how);
}

}  // namespace sinter::plan
