#include "runtime/device/event.hpp"

#include <sinter/error.hpp>

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

}  // namespace sinter::runtime
