// Memory with an owner: what storages and plan steps hold.
#pragma once

#include <sinter/intrusive_ptr.hpp>
#include <sinter/options.hpp>
#include <sinter/reference_count.hpp>

#include "runtime/memory/pool.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace sinter::runtime {

class gpu_block;
class stream_uses;

/// Where memory is: main memory, or a GPU by its index.
using device_index = int8_t;
inline constexpr device_index main_memory = -1;

enum class memory_owner : uint8_t {
    pool,     // goes back to the pool
    behind,   // stands behind the object, in one block of the pool
    deleter,  // the deleter is called
    none,     // somebody else's
    device,   // a GPU's memory, `block`
    pinned,   // main memory that a GPU's driver has pinned
};

using memory_deleter = std::function<void(void*)>;

struct alignas(block_alignment) buffer : pooled {
    void* data = nullptr;
    std::size_t bytes = 0;
    device_index device = main_memory;
    memory_owner owner = memory_owner::none;
    bool external = false;   // the outside may read or write the bytes
    bool read_only = false;  // the owner promised them not to change
    detail::reference_count references;
    gpu_block* block = nullptr;   // of a GPU's memory, unless it is somebody else's
    stream_uses* uses = nullptr;  // of a GPU's memory and of pinned memory: on which streams
    memory_deleter* deleter = nullptr;

    buffer() = default;
    ~buffer();
    /// Whether it is memory of Sinter's own.
    bool of_pool() const { return owner != memory_owner::deleter && owner != memory_owner::none; }
    /// Whether it is the host's and copies from or to a GPU may be under way.
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

/// Memory of the pool, not cleared. Throws OutOfMemoryError.
buffer_ptr make_buffer(std::size_t bytes);
/// The same there. On a GPU `data` is no address for the host.
buffer_ptr make_buffer(std::size_t bytes, device_index device);

/// Main memory that copies from and to a GPU need not wait for.
buffer_ptr make_pinned_buffer(std::size_t bytes);

/// Wait, where it is pinned memory, until the host may read it, or write it.
void wait_to_read(const buffer& b);
void wait_to_write(const buffer& b);
inline void before_host_reads(const buffer& b) {
    if (b.in_flight()) wait_to_read(b);
}
inline void before_host_writes(const buffer& b) {
    if (b.in_flight()) wait_to_write(b);
}
/// The outside is given the address, or comes from there: what it puts on the current stream of
/// the GPU that the memory is on runs after what is there, and what reads it runs after that.
void open_to_stream(const buffer& b, bool to_write);
void behind_stream(const buffer& b);

/// Copies bytes between buffers of any places; on a GPU in the order of its current stream. From
/// the host's memory the bytes have been read on return, and to it they have arrived, unless that
/// memory is pinned and `wait` is false.
void copy_bytes(buffer& to, std::size_t to_offset, const buffer& from, std::size_t from_offset,
                std::size_t bytes, bool wait = true);
inline void copy_bytes(buffer& to, const buffer& from, std::size_t bytes) {
    copy_bytes(to, 0, from, 0, bytes);
}

/// Memory of the outside. `deleter`, if there is one, gets `data` when the last reference goes and
/// the GPU has ended what uses it; it must not throw. External, unless the caller promises the
/// bytes not to change.
buffer_ptr wrap_memory(void* data, std::size_t bytes, memory_deleter deleter, bool read_only,
                       device_index device = main_memory);

}  // namespace sinter::runtime
