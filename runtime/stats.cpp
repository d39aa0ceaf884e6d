#include "runtime/stats.hpp"

namespace sinter::runtime {

constinit counters count;

}  // namespace sinter::runtime

namespace sinter::inline v1 {
namespace {

constexpr const char* reason_names[] = {"value_read", "eval",  "external", "data_ptr", "bounds",
                                        "library",    "print", "save",     "other"};
static_assert(std::size(reason_names) == flush_reason_count &&
              static_cast<std::size_t>(flush_reason::other) + 1 == flush_reason_count);

}  // namespace

const char* to_string(flush_reason reason) {
    auto i = static_cast<std::size_t>(reason);
    return i < flush_reason_count ? reason_names[i] : "?";
}

stats_report stats() {
    const runtime::counters& c = runtime::count;
    stats_report r;
    r.kernels_launched = c.kernels_launched.get();
    r.kernels_compiled = c.kernels_compiled.get();
    r.kernels_loaded = c.kernels_loaded.get();
    r.cache_hits = c.cache_hits.get();
    r.interpreted = c.interpreted.get();
    r.run_by_blocks = c.run_by_blocks.get();
    r.library_calls = c.library_calls.get();
    r.epilogues = c.epilogues.get();
    r.plans_built = c.plans_built.get();
    r.plans_replayed = c.plans_replayed.get();
    r.nodes_pending = c.nodes_pending.get();
    r.bytes_allocated = c.bytes.total();
    r.bytes_live = c.bytes.live();
    r.bytes_peak = c.bytes.peak();
    r.bytes_donated = c.bytes_donated.get();
    for (std::size_t i = 0; i < flush_reason_count; ++i) r.flushes[i] = c.flushes[i].get();
    return r;
}

void reset_stats() {
    runtime::counters& c = runtime::count;
    for (runtime::counter* each :
         {&c.kernels_launched, &c.kernels_compiled, &c.kernels_loaded, &c.cache_hits,
          &c.interpreted, &c.run_by_blocks, &c.library_calls, &c.epilogues, &c.plans_built,
          &c.plans_replayed, &c.bytes_donated})
        each->reset();
    for (runtime::counter& each : c.flushes) each.reset();
    c.bytes.reset();
}

}  // namespace sinter::inline v1
