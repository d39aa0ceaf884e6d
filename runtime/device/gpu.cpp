#include "runtime/device/gpu.hpp"

#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/device/finish.hpp"

#include <sinter/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <deque>
#include <iterator>

#include <pthread.h>

namespace sinter::runtime {
namespace {

struct machine {
    std::deque<gpu> gpus;
    std::string why_not;
};

/// Adds the GPUs of a driver. Stops at the first GPU that does not answer, so that indices agree
/// with the driver's.
void add(machine& m, const gpu_vendor& v) {
    const found_driver& found = v.driver();
    if (!found.it) {
        if (!m.why_not.empty()) m.why_not += "; ";
        m.why_not += std::string(v.name) + ": " + found.why_not;
        return;
    }
    for (int i = 0; i < found.it->count; ++i) {
        gpu g;
        g.api = found.it;
        g.ordinal = i;
        g.index = static_cast<int>(m.gpus.size());
        if (found.it->properties(i, g.properties) != 0) return;
        m.gpus.push_back(std::move(g));
    }
}

std::atomic<const gpu*> used_first{nullptr};

enum class loss : uint8_t { none, forked, ending };
std::atomic<loss> lost{loss::none};

const machine& all() {
    // Leaked: tensors in static storage outlive all other objects.
    static constinit std::atomic<const machine*> made{nullptr};
    return made_once(made, [] {
        auto* found = new machine;
        for (const gpu_vendor* v : gpu_vendors) add(*found, *v);
        pthread_atfork(nullptr, nullptr, [] { lost = loss::forked; });
        // Registered after the drivers' handlers, so that it runs before them.
        std::atexit([] { lost = loss::ending; });
        return found;
    });
}

bool is_set(const std::string& text) { return !text.empty() && text != "0"; }

}  // namespace

int gpu_count() { return static_cast<int>(all().gpus.size()); }

const gpu& gpu_at(int index) {
    const machine& m = all();
    if (index >= 0 && index < gpu_count()) {
        const gpu& g = m.gpus[static_cast<std::size_t>(index)];
        require_usable(g);
        return g;
    }
    if (m.gpus.empty())
        fail("device", "no GPU is available", text("cuda:", index, "; ", m.why_not), "cpu",
             "checking cuda::is_available() first; `sinter info` shows what was found");
    fail("device", "the device index is out of range", text("cuda:", index),
         gpu_count() == 1 ? "cuda:0" : text("cuda:0 to cuda:", gpu_count() - 1),
         "cuda::device_count(), which counts the GPUs");
}

const gpu& used_gpu() {
    const gpu* g = used_first.load(std::memory_order_relaxed);
    return gpu_at(g ? g->index : 0);
}

bool driver_is_lost() noexcept { return lost.load(std::memory_order_relaxed) != loss::none; }

void require_usable(const gpu& g) {
    switch (lost.load(std::memory_order_relaxed)) {
        case loss::none: return;
        case loss::forked:
            fail(g.str().c_str(), "the driver does not survive a fork",
                 "a process forked after the first use of a GPU",
                 "a process that opens the driver itself",
                 "forking before the first use of a GPU, or exec after the fork");
        case loss::ending:
            fail(g.str().c_str(), "the driver has been shut down, because the process is exiting",
                 "a use after main has returned", "a use before main returns",
                 "owning the object in main instead of static storage");
    }
}

std::string why_no_gpu() { return all().why_not; }

device_scope::device_scope(const gpu& g) : gpu_(g) {
    require_usable(g);
    check(g, "making it the current device", g.api->enter(g.ordinal, &before_));
    note_used(g.index);
    if (!used_first.load(std::memory_order_relaxed)) {
        const gpu* none = nullptr;
        used_first.compare_exchange_strong(none, &g, std::memory_order_relaxed);
    }
}

device_scope::~device_scope() { gpu_.api->leave(before_); }

void check(const gpu& g, const char* doing, int code) {
    if (code == driver_code::success) return;
    const std::string device = g.str(), what = std::string(doing) + " failed",
                      got = g.api->explain(code);
    if (code == driver_code::out_of_memory)
        fail<OutOfMemoryError>(device.c_str(), what, got, "success",
                               "cuda::empty_cache(), or smaller tensors");
    fail(device.c_str(), what, got, "success",
         launch_blocking() ? "a new process, because the state of this device is undefined"
                           : "SINTER_LAUNCH_BLOCKING=1, which reports errors at the call; "
                             "this one may come from earlier work");
}

bool launch_blocking() {
    static const bool blocking =
        environment().launch_blocking ||
        std::any_of(std::begin(gpu_vendors), std::end(gpu_vendors),
                    [](const gpu_vendor* v) { return is_set(environment().*v->blocking); });
    return blocking;
}

}  // namespace sinter::runtime
