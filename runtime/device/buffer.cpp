#include "runtime/device/buffer.hpp"

#include "runtime/device/memory.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/stats.hpp"

#include <sinter/error.hpp>

#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace sinter::runtime {

namespace {

/// Waits for all uses. Ignores errors: the work of a failed device has ended.
void finish_quietly(stream_uses& uses) noexcept {
    try {
        if (!driver_is_lost()) uses.finish_uses();
    } catch (const Error&) {
    }
}

/// Calls the deleter from a destructor. An exception becomes a warning.
void call_deleter(const memory_deleter& deleter, void* data) noexcept {
    const auto tell = [](const char* what) noexcept {
        try {
            warn_once(std::string("deleter:") + what,
                      std::string("[from_blob] the deleter threw; got ") + what +
                          ", expected a deleter that does not throw; try catching the exception in "
                          "the deleter");
        } catch (...) {  // no memory for the text: no warning
        }
    };
    try {
        deleter(data);
    } catch (const std::exception& e) {
        tell(e.what());
    } catch (...) {
        tell("an exception of another kind");
    }
}

}  // namespace

buffer::~buffer() {
    if (owner == memory_owner::pool) runtime::release(data, bytes);
    if (owner == memory_owner::pinned)
        give_pinned(data, std::unique_ptr<stream_uses>(std::exchange(uses, nullptr)));
    if (owner == memory_owner::deleter) {
        if (uses) finish_quietly(*uses);
        call_deleter(*deleter, data);
    }
    if (block)
        give_gpu_block(block);
    else
        delete uses;
    delete deleter;
}

void destroy(buffer* b) noexcept {
    if (b->owner != memory_owner::behind) return delete b;
    const std::size_t bytes = b->bytes;
    std::destroy_at(b);
    count().bytes.given(bytes);
    release_uncounted(b, sizeof(buffer) + bytes);
}

namespace {

/// Returns a buffer with its bytes in the same block, for few bytes. Returns null if the thread has
/// no block, or with the pool off, so that sanitizers see two allocations.
buffer_ptr small_buffer(std::size_t bytes) {
    static_assert(sizeof(buffer) == block_alignment);  // so that the bytes after it are aligned
    void* p = take_block(size_class(sizeof(buffer) + bytes));
    if (!p) return {};
    auto* b = ::new (p) buffer;
    b->references.begin();
    b->data = b + 1;
    b->bytes = bytes;
    b->owner = memory_owner::behind;
    count().bytes.taken(bytes);
    return buffer_ptr::adopt(b);
}

}  // namespace

buffer_ptr make_buffer(std::size_t bytes) {
    if (bytes <= 1024)
        if (buffer_ptr b = small_buffer(bytes)) return b;
    auto b = make_intrusive<buffer>();
    b->data = allocate(bytes);
    b->bytes = bytes;
    b->owner = memory_owner::pool;
    return b;
}

buffer_ptr make_buffer(std::size_t bytes, device_index device) {
    if (device == main_memory) return make_buffer(bytes);
    auto b = make_intrusive<buffer>();
    b->block = take_gpu_block(gpu_at(device), bytes);
    b->uses = b->block;
    b->data = b->block->data;
    b->bytes = bytes;
    b->device = device;
    b->owner = memory_owner::device;
    return b;
}

buffer_ptr make_pinned_buffer(std::size_t bytes) {
    auto b = make_intrusive<buffer>();
    auto uses = std::make_unique<stream_uses>();
    b->data = take_pinned(bytes);
    b->bytes = bytes;
    b->owner = memory_owner::pinned;
    b->uses = uses.release();
    return b;
}

void wait_to_read(const buffer& b) { b.uses->finish_writes(); }
void wait_to_write(const buffer& b) { b.uses->finish_uses(); }

void open_to_stream(const buffer& b, bool to_write) {
    if (b.device == main_memory) return;
    gpu_stream& s = current_stream(gpu_at(b.device));
    if (to_write)
        b.uses->before_write(s);
    else
        b.uses->before_read(s);
}

void behind_stream(const buffer& b) {
    if (b.device == main_memory) return;
    gpu_stream& s = current_stream(gpu_at(b.device));
    b.uses->after_write(s, s.mark());
}

void copy_bytes(buffer& to, std::size_t to_offset, const buffer& from, std::size_t from_offset,
                std::size_t bytes, bool wait) {
    if (bytes == 0) return;
    char* target = static_cast<char*>(to.data) + to_offset;
    const char* source = static_cast<const char*>(from.data) + from_offset;
    const bool to_host = to.device == main_memory, from_host = from.device == main_memory;
    if (to_host && from_host) {
        before_host_reads(from);
        before_host_writes(to);
        std::memcpy(target, source, bytes);
        return;
    }
    gpu_stream& s = current_stream(gpu_at(to_host ? from.device : to.device));
    if (to.uses) to.uses->before_write(s);
    if (from.uses) from.uses->before_read(s);
    const uint64_t position = put_copy(s, target, source, bytes);
    if (to.uses) to.uses->after_write(s, position);
    if (from.uses) from.uses->after_read(s, position);
    // The driver treats any pinned host memory as asynchronous, even if Sinter did not pin it.
    const buffer& on_host = to_host ? to : from;
    if ((to_host || from_host) && (wait || on_host.owner != memory_owner::pinned))
        s.finish(position);
}

buffer_ptr wrap_memory(void* data, std::size_t bytes, memory_deleter deleter, bool read_only,
                       device_index device) {
    // The deleter is owned from the first line: an exception below must still free the memory.
    struct guard {
        memory_deleter& call;
        void* data;
        bool armed = true;
        ~guard() {
            if (armed && call) call_deleter(call, data);
        }
    } on_failure{deleter, data};
    auto b = make_intrusive<buffer>();
    if (device != main_memory) {
        b->uses = new stream_uses;
        b->device = device;
    }
    auto owned = deleter ? std::make_unique<memory_deleter>(deleter) : nullptr;
    b->data = data;
    b->bytes = bytes;
    b->owner = owned ? memory_owner::deleter : memory_owner::none;
    b->external = !read_only;  // bytes that never change may be read at any time
    b->read_only = read_only;
    b->deleter = owned.release();
    on_failure.armed = false;
    return b;
}

}  // namespace sinter::runtime
