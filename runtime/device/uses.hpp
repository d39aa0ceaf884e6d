// The uses of device memory, or of pinned host memory, on streams. Each read or write is announced
// before and recorded after it is submitted; this orders the streams.
#pragma once

#include "runtime/base/spin_lock.hpp"
#include "runtime/device/event.hpp"
#include "runtime/device/stream.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace sinter::runtime {

class stream_uses {
public:
    /// Orders the next work on `s`, which may read, or write, the memory, after conflicting uses.
    void before_read(gpu_stream& s);
    void before_write(gpu_stream& s);
    /// Record the work submitted to `s` up to `position`.
    void after_read(gpu_stream& s, uint64_t position);
    void after_write(gpu_stream& s, uint64_t position);
    /// Records that outside code uses the memory on `s` until it is given back.
    void used_by_others_on(gpu_stream& s);

    /// Wait, on the host, for all recorded uses, or all recorded writes.
    void finish_uses();
    void finish_writes();
    /// Returns events behind all uses that may not have ended, also those of outside code.
    std::vector<std::unique_ptr<gpu_event>> marks() const;
    /// Makes work submitted to `s` from now on run after all uses, and forgets these.
    void hand_over(gpu_stream& s);

private:
    struct use {
        gpu_stream* on = nullptr;
        uint64_t written = 0, used = 0;  // positions of the last write and of the last use
    };
    std::array<use, 4> uses() const;

    std::array<use, 4> uses_{};
    std::vector<gpu_stream*> others_;
    mutable spin_lock lock_;
};

}  // namespace sinter::runtime
