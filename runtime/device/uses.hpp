// Who uses a piece of memory on which stream: of device memory, and of pinned memory of the host.
// What a stream reads or writes is told beforehand and afterwards; the order among streams follows.
#pragma once

#include "runtime/base/spin_lock.hpp"
#include "runtime/device/stream.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace sinter::runtime {

class stream_uses {
public:
    /// What is put on `s` next may read, or write, the memory: it will find what was written.
    void before_read(gpu_stream& s);
    void before_write(gpu_stream& s);
    /// Notes what was put on `s` last.
    void after_read(gpu_stream& s, uint64_t position);
    void after_write(gpu_stream& s, uint64_t position);
    /// Somebody else uses it on `s` as well, and goes on doing so until it is given back.
    void used_by_others_on(gpu_stream& s);

    /// Waits, on the host, for all that uses it, or that writes it.
    void finish_uses();
    void finish_writes();
    /// Whether all that uses it has ended. Does not wait.
    bool done();
    /// What is put on `s` from now on runs after all uses, which are forgotten.
    void hand_over(gpu_stream& s);

private:
    struct use {
        gpu_stream* on = nullptr;
        uint64_t written = 0, used = 0;  // positions, of the last write and of the last use
    };
    std::array<use, 4> uses() const;

    std::array<use, 4> uses_{};
    std::vector<gpu_stream*> others_;
    mutable spin_lock lock_;
};

}  // namespace sinter::runtime
