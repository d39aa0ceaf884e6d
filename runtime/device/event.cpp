#include "runtime/device/event.hpp"

#include <sinter/error.hpp>

#include <map>
#include <mutex>
#include <vector>

namespace sinter::runtime {

gpu_event::gpu_event(const gpu& g, bool timing) : gpu_(g) {
    constexpr unsigned no_timing = 2;
    const device_scope scope(g);
    check(g, "creating an event", g.api->create_event(&handle_, timing ? 0 : no_timing));
}

gpu_event::~gpu_event() {
    try {
        const device_scope scope(gpu_);
        gpu_.api->destroy_event(handle_);
    } catch (const Error&) {
        // The driver is gone or has failed permanently.
    }
}

void gpu_event::record(gpu_stream& s) {
    const device_scope scope(gpu_);
    check(gpu_, "recording an event", gpu_.api->record_event(handle_, s.handle()));
}

void gpu_event::block(gpu_stream& s) const {
    const device_scope scope(s.device());
    check(s.device(), "waiting for an event", gpu_.api->make_stream_wait(s.handle(), handle_, 0));
}

bool gpu_event::done() const {
    const device_scope scope(gpu_);
    const int code = gpu_.api->query_event(handle_);
    if (code == driver_code::not_ready) return false;
    check(gpu_, "querying an event", code);
    return true;
}

void gpu_event::finish() const {
    const device_scope scope(gpu_);
    check(gpu_, "waiting for an event", gpu_.api->finish_event(handle_));
}

float gpu_event::since(const gpu_event& start) const {
    const device_scope scope(gpu_);
    float milliseconds = 0;
    check(gpu_, "reading the time between two events",
          gpu_.api->elapsed(&milliseconds, start.handle_, handle_));
    return milliseconds;
}

namespace {

/// Events that mark nothing any more, by GPU.
struct spare_events {
    std::mutex mutex;
    std::map<const gpu*, std::vector<std::unique_ptr<gpu_event>>> of;
};
spare_events& spare() {
    static spare_events& s = *new spare_events;  // leaked: the driver ends first
    return s;
}
constexpr std::size_t most_spare = 64;  // of a GPU

}  // namespace

std::unique_ptr<gpu_event> mark_behind(gpu_stream& s) {
    const gpu& g = s.device();
    require_usable(g);
    std::unique_ptr<gpu_event> e;
    {
        const std::lock_guard lock(spare().mutex);
        std::vector<std::unique_ptr<gpu_event>>& of = spare().of[&g];
        if (!of.empty()) {
            e = std::move(of.back());
            of.pop_back();
        }
    }
    if (!e) e = std::make_unique<gpu_event>(g, false);
    e->record(s);
    return e;
}

void recycle(std::unique_ptr<gpu_event> e) {
    require_usable(e->device());
    const std::lock_guard lock(spare().mutex);
    std::vector<std::unique_ptr<gpu_event>>& of = spare().of[&e->device()];
    if (of.size() < most_spare) of.push_back(std::move(e));
}

}  // namespace sinter::runtime
