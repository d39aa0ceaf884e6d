// An event: a mark in the work of a stream.
#pragma once

#include "runtime/device/stream.hpp"

#include <memory>

namespace sinter::runtime {

class gpu_event {
public:
    /// `timing`: the time between two such events can be measured.
    gpu_event(const gpu& g, bool timing);
    ~gpu_event();
    gpu_event(const gpu_event&) = delete;
    gpu_event& operator=(const gpu_event&) = delete;

    const gpu& device() const { return gpu_; }
    void record(gpu_stream& s);
    /// Makes work submitted to `s` from now on, on any device, run after the recorded work.
    void block(gpu_stream& s) const;
    bool done() const;
    void finish() const;
    /// Returns the milliseconds from `start` to this event; both have timing and are done.
    float since(const gpu_event& start) const;

private:
    const gpu& gpu_;
    void* handle_ = nullptr;
};

/// Returns an event behind all work that was submitted to a stream so far. Its time is not
/// measured.
std::unique_ptr<gpu_event> mark_behind(gpu_stream& s);
/// Keeps an event for later marks: making one costs more than recording it.
void recycle(std::unique_ptr<gpu_event> e);

}  // namespace sinter::runtime
