#include "runtime/buffer.hpp"

#include <memory>
#include <utility>

namespace sinter::runtime {

buffer::~buffer() {
    if (owner == memory_owner::pool) runtime::release(data, bytes);
    if (owner == memory_owner::deleter) (*deleter)(data);
    delete deleter;
}

buffer_ptr make_buffer(std::size_t bytes) {
    auto b = make_intrusive<buffer>();
    b->data = allocate(bytes);
    b->bytes = bytes;
    b->owner = memory_owner::pool;
    return b;
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
