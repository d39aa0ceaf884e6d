// Memory with an owner: what storages and plan steps hold.
#pragma once

#include <sinter/intrusive_ptr.hpp>
#include <sinter/options.hpp>
#include <sinter/reference_count.hpp>

#include "runtime/pool.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace sinter::runtime {

/// An order of work on a device; null is the device's default order. CPU launches have ended when
/// they return, so theirs is always null.
struct stream {
    void* handle = nullptr;
};

/// The completion of work on a stream; null is complete.
struct event {
    void* handle = nullptr;
};

enum class memory_owner : uint8_t {
    pool,     // goes back to the pool
    behind,   // stands behind the object, in one block of the pool
    deleter,  // the deleter is called
    none,     // somebody else's
};

using memory_deleter = std::function<void(void*)>;

struct alignas(block_alignment) buffer : pooled {
    void* data = nullptr;
    std::size_t bytes = 0;
    Device device = kCPU;
    memory_owner owner = memory_owner::none;
    bool external = false;   // the outside may read or write the bytes
    bool read_only = false;  // the owner promised them not to change
    detail::reference_count references;
    stream order;  // that the last write was put on
    event ready;   // of the last write
    memory_deleter* deleter = nullptr;

    buffer() = default;
    ~buffer();
    bool of_pool() const { return owner == memory_owner::pool || owner == memory_owner::behind; }
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

/// Memory of the outside. `deleter`, if there is one, gets `data` when the last reference goes; it
/// must not throw. External, unless the caller promises the bytes not to change.
buffer_ptr wrap_memory(void* data, std::size_t bytes, memory_deleter deleter, bool read_only);

}  // namespace sinter::runtime
