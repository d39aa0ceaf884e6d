// Streams: queues of work on a GPU. Work on one stream runs in the order of submission; work on
// different streams runs in any order, unless one waits for the other.
//
// Work is counted. A use of memory is recorded as (stream, position), which needs no event. Work on
// another stream that must run later makes that stream wait, and the stream records how far it has
// waited.
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
    /// Returns the id within its device: 0 the default stream, 1 to 64 the pool's, others foreign.
    int64_t id() const { return id_; }
    bool high_priority() const { return high_priority_; }

    /// Records that work was submitted to the stream, and returns its position. With blocking
    /// launches, waits for it and throws its error.
    uint64_t put(const char* doing);
    /// Returns a position after all work on the stream, including that of outside code.
    uint64_t mark() { return position_.fetch_add(1, std::memory_order_acq_rel) + 1; }
    uint64_t position() const { return position_.load(std::memory_order_acquire); }

    /// Makes work submitted here from now on run after the other stream's work up to a position.
    void wait_for(gpu_stream& other, uint64_t position);
    /// Waits, on the calling thread, for the work up to a position. Throws its errors.
    void finish(uint64_t position);
    void finish() { finish(position()); }
    /// Returns true if a wait has shown that all work up to a position has ended.
    bool known_done(uint64_t position) const {
        return finished_.load(std::memory_order_acquire) >= position;
    }
    /// Returns true if all work of the stream, or that up to a position, has ended. Asks the
    /// driver, which answers for all work: that of later work, too. Does not wait.
    bool done(uint64_t position);

private:
    const gpu& gpu_;
    void* const handle_;
    const int number_;
    const int64_t id_;
    const bool high_priority_;
    std::atomic<uint64_t> position_{0};
    std::atomic<uint64_t> finished_{0};
    std::mutex mutex_;            // guards `seen_`: several threads may use one stream
    std::vector<uint64_t> seen_;  // by stream number: position up to which this stream has waited
};

/// Returns the default stream of a device. It does not synchronise with streams of other libraries.
gpu_stream& default_stream(const gpu& g);

/// Returns one of the 32 pool streams of a device for this priority, in turn.
gpu_stream& pool_stream(const gpu& g, bool high_priority);

/// Returns the stream with this id, or null if there is none.
gpu_stream* stream_by_id(const gpu& g, int64_t id);

/// Returns the stream with this driver handle, which may be foreign. Null is the driver's default
/// stream. The owner of a foreign stream keeps it alive as long as Sinter uses it.
gpu_stream& stream_by_handle(const gpu& g, void* handle);

/// Returns the stream to which the calling thread submits work on a device.
gpu_stream& current_stream(const gpu& g);
void set_current_stream(gpu_stream& s);

/// Waits for all work of the device. Throws its errors.
void finish_device(const gpu& g);

}  // namespace sinter::runtime
