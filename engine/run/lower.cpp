#include "engine/run/lower.hpp"

#include "engine/graph/gradient.hpp"
#include "engine/graph/pending.hpp"
#include "engine/plan/subgraph.hpp"
#include "engine/recordings/portable_work.hpp"
#include "engine/run/fast_path.hpp"
#include "engine/run/iterations.hpp"
#include "engine/run/plan_cache.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "jit/cache/kernel_cache.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"
#include "runtime/threads/background.hpp"

#include <sinter/error.hpp>
#include <sinter/mode.hpp>

#include <atomic>
#include <string>

namespace sinter {

plan::executor default_executor() {
    static constinit std::atomic<const plan::executor*> made{nullptr};
    const auto find_out = [] {
        const runtime::settings& s = runtime::environment();
        if (s.jit == runtime::jit_choice::interpret) return plan::executor::interpret;
        if (s.jit == runtime::jit_choice::off) return plan::executor::blocks;
        runtime::set_background_low(s.jit_priority == runtime::jit_priority_choice::low);
        std::string why;
        // Without the compiler kernels may still be on disk; those that are not run by blocks.
        if (code_cache::kernels_usable(&why))
            return s.jit == runtime::jit_choice::wait && code_cache::compiler_present()
                       ? plan::executor::compiled
                       : plan::executor::background;
        runtime::warn_once(
            "no-compiler",
            runtime::text("[jit] kernels cannot be compiled; got ", why,
                          ", expected the sinter_llvm plugin; they run block by block, which is "
                          "slower; try installing the plugin beside the library"));
        return plan::executor::blocks;
    };
    return runtime::made_once(made, [&] { return new plan::executor(find_out()); });
}

namespace {

void run(plan::subgraph& w, plan::executor how) {
    const auto [e, replayed] = [&] {
        runtime::trace_span span("plan", "plan");
        const plan::found_plan found = plan::find_or_build(w);
        if (span) {
            span.detail("operations", static_cast<int64_t>(w.nodes.size()));
            span.detail("steps", static_cast<int64_t>(found.e->data.steps.size()));
            span.detail("from", found.replayed ? "cache" : "planning");
        }
        return found;
    }();
    (replayed ? runtime::count().plans_replayed : runtime::count().plans_built).add();
    // Eager mode on the CPU asks for no kernels.
    if (e->to_record && (how != plan::executor::blocks || get_mode() != Mode::eager)) {
        code_cache::run_count* runs = e->runs.load(std::memory_order_acquire);
        if (!runs)
            e->runs.store(
                runs = &code_cache::record(code_cache::record_kind::work, plan::write_work(w)),
                std::memory_order_release);
        runs->fetch_add(1, std::memory_order_relaxed);
    }
    plan::execute(*e, w, how);
}

/// Runs each node by a plan of its own and removes it from the subgraph.
void run_each(plan::subgraph& w, plan::executor how) {
    for (std::size_t i = 0; i < w.nodes.size(); ++i) {
        const intrusive_ptr<Version> v = share(w.values[i]);
        plan::subgraph one = w.alone(i);
        // A kernel of one operation is compiled once for all nodes that have the operation. Block
        // rows need no compiler.
        one.eager = w.device != runtime::main_memory;
        run(one, how);
        w.nodes[i] = nullptr;
        drop_producer(*v);
    }
}

/// Returns what runs kernels on the CPU now. Eager mode compiles nothing for it.
plan::executor cpu_executor() {
    return get_mode() == Mode::eager ? plan::executor::blocks : default_executor();
}

}  // namespace

bool lower_by_fast_path(Version& v, Storage* held) {
    if (v.device != runtime::main_memory) return false;
    const plan::executor how = cpu_executor();
    return how != plan::executor::interpret && plan::run_fast_path(v, held, how);
}

void lower(std::span<Version* const> targets) {
    plan::claimed_work claimed(targets);
    plan::subgraph& w = claimed.w;
    if (w.nodes.empty()) return;
    if (const Node& n = *w.nodes.back();
        n.partial() && n.base().value->state == version_state::failed) {
        plan::fail(*n.result, n.base().value->error);
        return;
    }
    const plan::executor how =
        w.device == runtime::main_memory ? cpu_executor() : default_executor();
    if (get_mode() == Mode::eager) return run_each(w, how);
    if (!plan::may_be_loop(w)) return run(w, how);
    plan::for_each_part(w, [&](plan::subgraph& part, std::size_t first, std::size_t last) {
        run(part, how);
        claimed.finish(first, last);
    });
}

std::string describe(std::span<Version* const> targets) {
    const runtime::arena memory;
    const plan::claimed_work claimed(targets);
    if (claimed.w.nodes.empty()) return "nothing to compute\n";
    std::string text;
    // Equal plans that follow each other are described once.
    const plan::executable* same = nullptr;
    std::string part_text;
    int times = 0;
    const auto end_part = [&] {
        if (times > 1) text += std::to_string(times) + " times, iterations of a loop: ";
        text += part_text;
    };
    plan::for_each_part(claimed.w, [&](const plan::subgraph& part, std::size_t, std::size_t) {
        const plan::executable* e = plan::find_or_build(part).e;
        if (e == same) {
            ++times;
            return;
        }
        end_part();
        same = e;
        times = 1;
        part_text = plan::describe(*e, part);
    });
    end_part();
    return text;
}

}  // namespace sinter

namespace sinter::inline v1 {

std::string explain(const tensor_base& t) {
    const TensorImpl* impl = t.self().unsafeGetTensorImpl();
    if (!impl) return "an undefined tensor\n";
    std::vector<Version*> targets{impl->storage->current.get()};
    const std::vector<intrusive_ptr<Version>> companions = find_companions(targets, false);
    for (const auto& c : companions) targets.push_back(c.get());
    return describe(targets);
}

}  // namespace sinter::inline v1
