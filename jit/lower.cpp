#include "jit/lower.hpp"

#include "jit/cache/kernel_cache.hpp"
#include "jit/graph/pending.hpp"
#include "jit/plan/direct.hpp"
#include "jit/plan/work.hpp"
#include "runtime/log.hpp"
#include "runtime/stats.hpp"

#include <sinter/error.hpp>
#include <sinter/mode.hpp>

#include <cstdlib>
#include <cstring>

namespace sinter {
namespace {

/// Values carry their number in the work only while it is planned and run.
struct numbered_work {
    explicit numbered_work(std::span<Version* const> targets) : w(plan::collect(targets)) {}
    ~numbered_work() {
        for (Version* v : w.values)
            if (v) v->index = -1;
    }
    numbered_work(const numbered_work&) = delete;
    plan::work w;
};

/// Values without elements need no kernel.
void finish_empty(std::span<Version* const> targets) {
    for (Version* v : targets)
        if (v->numel == 0 && v->state == version_state::pending) {
            v->buffer = runtime::make_buffer(0);
            v->state = version_state::ready;
            drop_producer(*v);
        }
}

}  // namespace

plan::executor default_executor() {
    static const plan::executor how = [] {
        const char* jit = std::getenv("SINTER_JIT");
        if (jit && !std::strcmp(jit, "interpret")) return plan::executor::interpret;
        if (jit && !std::strcmp(jit, "off")) return plan::executor::eager;
        std::string why;
        if (cache::kernels_usable(&why)) return plan::executor::compiled;
        runtime::warn_once(
            "no-compiler",
            "[jit] kernels are not compiled; got: " + why +
                "; operations run one by one, unfused; try installing the sinter_llvm "
                "plugin beside the library");
        return plan::executor::eager;
    }();
    return how;
}

bool lower_directly(Version& v) {
    return get_mode() == Mode::lazy && default_executor() == plan::executor::compiled &&
           plan::run_direct(v);
}

void lower(std::span<Version* const> targets) {
    const plan::executor how = default_executor();
    finish_empty(targets);
    numbered_work n(targets);
    if (n.w.nodes.empty()) return;
    finish_empty(n.w.values);
    if (get_mode() == Mode::eager || how == plan::executor::eager) {
        plan::execute_eagerly(n.w);
        return;
    }
    bool replayed = false;
    const std::shared_ptr<const plan::plan> p = plan::find_or_build(n.w, &replayed);
    (replayed ? runtime::count.plans_replayed : runtime::count.plans_built).add();
    plan::execute(*p, n.w, how);
}

std::string describe(std::span<Version* const> targets) {
    numbered_work n(targets);
    if (n.w.nodes.empty()) return "nothing to compute\n";
    bool replayed = false;
    const std::shared_ptr<const plan::plan> p = plan::find_or_build(n.w, &replayed);
    return plan::print(*p, n.w);
}

}  // namespace sinter
