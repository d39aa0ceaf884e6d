#include "runtime/buffer.hpp"

#include "runtime/device/memory.hpp"
#include "runtime/device/transfer.hpp"
#include "runtime/stats.hpp"

#include <cstring>
#include <memory>
#include <utility>

namespace sinter::runtime {

buffer::~buffer() {
    if (owner == memory_owner::pool) runtime::release(data, bytes);
    if (owner == memory_owner::deleter) (*deleter)(data);
    if (block) give_gpu_block(block);
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

/// Few bytes stand behind the object: one block to take and to give back. None with the pool off,
/// so that sanitizers see both, nor where the thread has no block at hand.
buffer_ptr small_buffer(std::size_t bytes) {
    static_assert(sizeof(buffer) == block_alignment);  // so that what stands behind is aligned
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

buffer_ptr make_buffer(std::size_t bytes, place_number device) {
    if (device == main_memory) return make_buffer(bytes);
    auto b = make_intrusive<buffer>();
    b->block = take_gpu_block(gpu_at(device), bytes);
    b->data = b->block->data;
    b->bytes = bytes;
    b->device = device;
    b->owner = memory_owner::device;
    return b;
}

void copy_bytes(buffer& to, std::size_t to_offset, const buffer& from, std::size_t from_offset,
                std::size_t bytes) {
    if (bytes == 0) return;
    char* target = static_cast<char*>(to.data) + to_offset;
    const char* source = static_cast<const char*>(from.data) + from_offset;
    if (!to.block && !from.block) {
        std::memcpy(target, source, bytes);
        return;
    }
    gpu_stream& s = current_stream((to.block ? to : from).block->device());
    if (to.block) to.block->before_write(s);
    if (from.block) from.block->before_read(s);
    const uint64_t position = put_copy(s, target, source, bytes);
    if (to.block) to.block->after_write(s, position);
    if (from.block) from.block->after_read(s, position);
    // With pinned memory the copy has not run yet.
    if (!to.block || !from.block) s.finish(position);
}

buffer_ptr wrap_memory(void* data, std::size_t bytes, memory_deleter deleter, bool read_only) {
    // The deleter is owned from the first line: what fails here must still free the memory.
    struct guard {
        memory_deleter& call;
        void* data;
        bool armed = true;
        ~guard() {
            if (armed && call) call(data);
        }
    } on_failure{deleter, data};
    auto b = make_intrusive<buffer>();
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
