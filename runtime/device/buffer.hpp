// Owned memory, held by storages and plan steps.
#pragma once

#include <sinter/core/intrusive_ptr.hpp>
#include <sinter/core/reference_count.hpp>
#include <sinter/options.hpp>

#include "runtime/memory/pool.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace sinter::runtime {

class gpu_block;
class stream_uses;

/// A memory placement: main memory, or a GPU by its index.
using device_index = int8_t;
inline constexpr device_index main_memory = -1;

enum class memory_owner : uint8_t {
    pool,     // returned to the pool
    behind,   // stored after the object, in the same pool block
    deleter,  // released by the deleter
    none,     // not owned
    device,   // GPU memory, `block`
    pinned,   // main memory pinned by a GPU driver
};

using memory_deleter = std::function<void(void*)>;

struct alignas(block_alignment) buffer : pooled {
    void* data = nullptr;
    std::size_t bytes = 0;
    device_index device = main_memory;
    memory_owner owner = memory_owner::none;
    bool external = false;   // true if outside code may read or write the bytes
    bool read_only = false;  // true if the owner promised that the bytes do not change
    detail::reference_count references;
    gpu_block* block = nullptr;   // GPU memory, unless it is foreign
    stream_uses* uses = nullptr;  // GPU and pinned memory: the uses on streams
    memory_deleter* deleter = nullptr;

    buffer() = default;
    ~buffer();
    /// Returns true if Sinter allocated the memory.
    bool of_pool() const { return owner != memory_owner::deleter && owner != memory_owner::none; }
    /// Returns true for host memory that pending copies from or to a GPU may use.
    bool in_flight() const { return uses && device == main_memory; }
    buffer(const buffer&) = delete;
    buffer& operator=(const buffer&) = delete;
};

inline void retain(buffer* b) noexcept { b->references.add(); }
void destroy(buffer* b) noexcept;
inline void release(buffer* b) noexcept {
    if (b->references.drop()) destroy(b);
}

using buffer_ptr = intrusive_ptr<buffer>;

/// Returns pool memory, not cleared. Throws OutOfMemoryError.
buffer_ptr make_buffer(std::size_t bytes);
/// Returns memory on `device`. On a GPU the host must not dereference `data`.
buffer_ptr make_buffer(std::size_t bytes, device_index device);

/// Returns pinned main memory, for which copies from and to a GPU are asynchronous.
buffer_ptr make_pinned_buffer(std::size_t bytes);

/// Wait until the host may read, or write, a buffer that is in flight.
void wait_to_read(const buffer& b);
void wait_to_write(const buffer& b);
inline void before_host_reads(const buffer& b) {
    if (b.in_flight()) wait_to_read(b);
}
inline void before_host_writes(const buffer& b) {
    if (b.in_flight()) wait_to_write(b);
}
/// Order GPU memory with outside code, which uses the current stream of its GPU. Call
/// `open_to_stream` before giving out the address: the outside work runs after earlier uses. Call
/// `behind_stream` afterwards: later uses run after the outside work.
void open_to_stream(const buffer& b, bool to_write);
void behind_stream(const buffer& b);

/// Copies bytes between buffers on any devices; on a GPU in the order of its current stream. On
/// return, bytes in host memory have been read or have arrived, unless that memory is pinned and
/// `wait` is false.
void copy_bytes(buffer& to, std::size_t to_offset, const buffer& from, std::size_t from_offset,
                std::size_t bytes, bool wait = true);
inline void copy_bytes(buffer& to, const buffer& from, std::size_t bytes) {
    copy_bytes(to, 0, from, 0, bytes);
}

/// Returns a buffer over foreign memory. `deleter`, if any, is called with `data` when the last
/// reference is gone and the GPU has finished all uses; it must not throw. The buffer is external,
/// unless `read_only` promises that the bytes do not change.
buffer_ptr wrap_memory(void* data, std::size_t bytes, memory_deleter deleter, bool read_only,
                       device_index device = main_memory);

}  // namespace sinter::runtime
