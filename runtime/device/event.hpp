// A mark in a stream's work.
#pragma once

#include "runtime/device/stream.hpp"

namespace sinter::runtime {

class gpu_event {
public:
    /// With `timing` two of them tell the time between them.
    gpu_event(const gpu& g, bool timing);
    ~gpu_event();
    gpu_event(const gpu_event&) = delete;
    gpu_event& operator=(const gpu_event&) = delete;

    const gpu& device() const { return gpu_; }
    void record(gpu_stream& s);
    /// What is put on `s` from now on, of whichever device, runs after what was recorded.
    void block(gpu_stream& s) const;
    bool done() const;
    void finish() const;
    /// Milliseconds from `start` to this one; both were recorded with timing, and are done.
    float since(const gpu_event& start) const;

private:
    const gpu& gpu_;
    void* handle_ = nullptr;
};

}  // namespace sinter::runtime
