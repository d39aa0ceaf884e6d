// GPU work that a call puts at once, because the sizes of its result depend on values.
#pragma once

#include "engine/graph/graph.hpp"
#include "engine/run/library/gpu_library.hpp"

#include <sinter/tensor.hpp>

namespace sinter::ops {

/// While it lives, the caller puts work on the thread's current stream. That work runs after the
/// work that writes the operands.
class gpu_line {
public:
    explicit gpu_line(runtime::device_index device);

    runtime::gpu_stream& stream() const { return stream_; }
    /// Returns the address of the first element of a dense tensor on this device. Flushes pending
    /// work.
    const char* reads(const Tensor& dense);

    struct result {
        Tensor tensor;
        char* first;
    };
    /// Returns a dense tensor whose elements the work writes.
    result writes(IntArrayRef sizes, ScalarType dtype);

private:
    const runtime::device_index place_;
    runtime::gpu_stream& stream_;
    std::vector<runtime::buffer_ptr> held_;
    plan::gpu_uses uses_;
};

}  // namespace sinter::ops
