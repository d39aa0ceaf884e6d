#include "runtime/report/stats.hpp"

#include <pthread.h>

#include <algorithm>
#include <new>

namespace sinter::runtime {

constinit thread_local counters* own_counters = nullptr;
constinit gauge nodes_pending;

namespace {

/// Used if no counters can be allocated; concurrent additions by several threads may get lost.
constinit counters last_resort;
/// The list of all counters. None is ever removed, so readers need no lock, and a new thread
/// continues the counters of one that has ended.
constinit std::atomic<counters*> all{&last_resort};

constinit std::atomic<int64_t> told{0}, peak{0};  // bytes in use, and the most so far
constinit counters at_reset;
constinit counter bytes_at_reset;

void raise_peak(int64_t live) noexcept {
    int64_t most = peak.load(std::memory_order_relaxed);
    while (live > most && !peak.compare_exchange_weak(most, live, std::memory_order_relaxed)) {
    }
}

/// Called after all C++ destructors of the thread, so that they can still count.
void end_counting(void* own) {
    auto* c = static_cast<counters*>(own);
    own_counters = nullptr;
    c->bytes.tell();
    c->in_use.store(false, std::memory_order_release);
}

struct key {
    pthread_key_t value{};
    bool made = pthread_key_create(&value, end_counting) == 0;
};
const key& of_thread() noexcept {
    static const key k;
    return k;
}
[[maybe_unused]] const key& made_at_load = of_thread();  // required by runtime/base/fork.hpp

void tell_at_end(counters* c) noexcept {
    // Without the key the counters stay valid, but no other thread continues them.
    if (of_thread().made) pthread_setspecific(of_thread().value, c);
}

template <class F>
uint64_t sum(const F& of) {
    uint64_t n = 0;
    for (const counters* c = all.load(std::memory_order_acquire); c; c = c->next) n += of(*c);
    return n;
}

}  // namespace

counters& begin_counting() noexcept {
    counters* c = all.load(std::memory_order_acquire);
    while (c && (c->in_use.load(std::memory_order_relaxed) ||
                 c->in_use.exchange(true, std::memory_order_acquire)))
        c = c->next;
    if (!c) {
        c = new (std::nothrow) counters;
        if (!c) return last_resort;
        c->next = all.load(std::memory_order_relaxed);
        while (!all.compare_exchange_weak(c->next, c, std::memory_order_release,
                                          std::memory_order_relaxed)) {
        }
    }
    own_counters = c;
    tell_at_end(c);
    return *c;
}

/// Resets `kept_back_` before it adds to `told`, with release order: a reader that sees the new sum
/// also sees the zero, so it never counts bytes twice.
void byte_meter::tell() noexcept {
    const int64_t n = kept_back();
    kept_back_.store(0, std::memory_order_relaxed);
    raise_peak(told.fetch_add(n, std::memory_order_release) + n);
}

int64_t bytes_live() noexcept {
    const int64_t known = told.load(std::memory_order_acquire);
    return known + static_cast<int64_t>(sum([](const counters& c) {
               return static_cast<uint64_t>(c.bytes.kept_back());
           }));
}

}  // namespace sinter::runtime

namespace sinter::inline v1 {
namespace {

using runtime::counter;
using runtime::counters;

constexpr const char* reason_names[] = {"value_read", "eval",  "external", "data_ptr",    "bounds",
                                        "library",    "print", "save",     "device_copy", "other"};
static_assert(std::size(reason_names) == flush_reason_count &&
              static_cast<std::size_t>(flush_reason::other) + 1 == flush_reason_count);

struct reported {
    counter counters::* from;
    uint64_t stats_report::* to;
};
constexpr reported sums[] = {
    {&counters::kernels_launched, &stats_report::kernels_launched},
    {&counters::kernels_compiled, &stats_report::kernels_compiled},
    {&counters::kernels_loaded, &stats_report::kernels_loaded},
    {&counters::kernels_specialised, &stats_report::kernels_specialised},
    {&counters::kernels_generalised, &stats_report::kernels_generalised},
    {&counters::host_fallbacks, &stats_report::host_fallbacks},
    {&counters::host_waits, &stats_report::host_waits},
    {&counters::other_form_launches, &stats_report::other_form_launches},
    {&counters::base_form_launches, &stats_report::base_form_launches},
    {&counters::graph_launches, &stats_report::graph_launches},
    {&counters::cache_hits, &stats_report::cache_hits},
    {&counters::interpreted, &stats_report::interpreted},
    {&counters::run_by_blocks, &stats_report::run_by_blocks},
    {&counters::library_calls, &stats_report::library_calls},
    {&counters::epilogues, &stats_report::epilogues},
    {&counters::plans_built, &stats_report::plans_built},
    {&counters::plans_replayed, &stats_report::plans_replayed},
    {&counters::functions_replayed, &stats_report::functions_replayed},
    {&counters::bytes_donated, &stats_report::bytes_donated},
};

}  // namespace

const char* to_string(flush_reason reason) {
    auto i = static_cast<std::size_t>(reason);
    return i < flush_reason_count ? reason_names[i] : "?";
}

stats_report stats() {
    using namespace runtime;
    count().bytes.tell();
    stats_report r;
    for (const auto& [from, to] : sums)
        r.*to = sum([from = from](const counters& c) { return (c.*from).get(); }) -
                (at_reset.*from).get();
    for (std::size_t i = 0; i < flush_reason_count; ++i)
        r.flushes[i] =
            sum([i](const counters& c) { return c.flushes[i].get(); }) - at_reset.flushes[i].get();
    r.nodes_pending = nodes_pending.get();
    r.bytes_allocated =
        sum([](const counters& c) { return c.bytes.total(); }) - bytes_at_reset.get();
    r.bytes_live = bytes_live();
    r.bytes_peak = std::max(peak.load(std::memory_order_relaxed), r.bytes_live);
    return r;
}

void reset_stats() {
    using namespace runtime;
    count().bytes.tell();
    for (const auto& [from, to] : sums)
        (at_reset.*from).set(sum([from = from](const counters& c) { return (c.*from).get(); }));
    for (std::size_t i = 0; i < flush_reason_count; ++i)
        at_reset.flushes[i].set(sum([i](const counters& c) { return c.flushes[i].get(); }));
    bytes_at_reset.set(sum([](const counters& c) { return c.bytes.total(); }));
    peak.store(bytes_live(), std::memory_order_relaxed);
}

}  // namespace sinter::inline v1
