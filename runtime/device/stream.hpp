// Streams: queues of work on a GPU. What is put on one runs in the order in which it was put; what
// is put on different ones runs in any order, unless one waits for the other.
//
// Work is counted. A use of memory is noted as (stream, position), which costs no event: who must
// come after it has its stream wait for the other one, once, and remembers how far it has waited.
#pragma once

#include "runtime/base/spin_lock.hpp"
#include "runtime/device/gpu.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace sinter::runtime {

/// Lives as long as the process.
class gpu_stream {
public:
    gpu_stream(const gpu& g, void* handle, int number, int64_t id, bool high_priority)
        : gpu_(g), handle_(handle), number_(number), id_(id), high_priority_(high_priority) {}
    gpu_stream(const gpu_stream&) = delete;
    gpu_stream& operator=(const gpu_stream&) = delete;

    const gpu& device() const { return gpu_; }
    void* handle() const { return handle_; }
    int number() const { return number_; }  // of all streams of the process
    /// Of those of its device: 0 the default one, 1 to 64 the pool's, others somebody else's.
    int64_t id() const { return id_; }
    bool high_priority() const { return high_priority_; }

    /// Notes that work was put on the stream, and gives its position. With blocking launches it is
    /// waited for, and its error is thrown.
    uint64_t put(const char* doing);
    /// A position behind all that is on the stream, by whomever it was put there.
    uint64_t mark() { return position_.fetch_add(1, std::memory_order_acq_rel) + 1; }
    uint64_t position() const { return position_.load(std::memory_order_acquire); }

    /// What is put here from now on runs after the other stream's work up to a position.
    void wait_for(gpu_stream& other, uint64_t position);
    /// Waits, on the calling thread, for the work up to a position. Throws its errors.
    void finish(uint64_t position);
    void finish() { finish(position()); }
    /// Whether all work up to a position has ended. Does not wait.
    bool done(uint64_t position);

private:
    const gpu& gpu_;
    void* const handle_;
    const int number_;
    const int64_t id_;
    const bool high_priority_;
    std::atomic<uint64_t> position_{0};
    std::atomic<uint64_t> finished_{0};
    std::mutex mutex_;            // of what follows: waits for one stream by several threads
    std::vector<uint64_t> seen_;  // by number: how far this stream has waited for another
};

/// The stream of a device that work goes to unless another one was chosen. It does not wait for
/// streams of others in the process, nor they for it.
gpu_stream& default_stream(const gpu& g);

/// One of the 32 others of a device for each priority, in turn.
gpu_stream& pool_stream(const gpu& g, bool high_priority);

/// The one of that id; null where there is none.
gpu_stream* stream_by_id(const gpu& g, int64_t id);

/// A stream that somebody else made, by the driver's handle, or one of the above. Null is the
/// driver's own default stream. Its maker keeps it as long as anything uses it here.
gpu_stream& stream_by_handle(const gpu& g, void* handle);

/// Of the calling thread: where it puts work on a device.
gpu_stream& current_stream(const gpu& g);
void set_current_stream(gpu_stream& s);

/// Waits for all work of the device. Throws its errors.
void finish_device(const gpu& g);

}  // namespace sinter::runtime
