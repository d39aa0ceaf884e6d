// Temporary GPU memory of one operation.
#pragma once

#include "runtime/device/buffer.hpp"
#include "runtime/device/stream.hpp"

#include <vector>

namespace sinter::gpu_kernels {

/// Memory of the stream's device. It may be freed while work is pending: its next owner on the
/// stream runs after that work.
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

/// Returns `count` numbers after all work on the stream. Waits for them, and throws the errors of
/// that work.
std::vector<uint64_t> read_back(runtime::gpu_stream& s, const void* from, std::size_t count);

/// Submits a copy of a few bytes of the host, which may change or die at once.
void upload(runtime::gpu_stream& s, void* to, const void* from, std::size_t bytes);

}  // namespace sinter::gpu_kernels
