// Memory of a GPU for the time of an operation.
#pragma once

#include "runtime/device/buffer.hpp"
#include "runtime/device/stream.hpp"

#include <vector>

namespace sinter::gpu_kernels {

/// Memory of the stream's device, of which the stream's next owner comes behind what was put.
class scratch {
public:
    scratch(runtime::gpu_stream& s, std::size_t bytes);
    char* data() const { return static_cast<char*>(memory_->data); }
    template <class T>
    T* as() const {
        return static_cast<T*>(memory_->data);
    }
    std::size_t bytes() const { return memory_->bytes; }

private:
    runtime::buffer_ptr memory_;
};

/// Numbers behind what the stream has. Waits for them, and throws its errors.
std::vector<uint64_t> read_back(runtime::gpu_stream& s, const void* from, std::size_t count);

}  // namespace sinter::gpu_kernels
