// What a line computes on a GPU itself, where the sizes of its result depend on values.
#pragma once

#include "engine/graph/graph.hpp"
#include "engine/run/gpu_library.hpp"

#include <sinter/tensor.hpp>

namespace sinter::front {

/// Work on the thread's current stream, behind what writes the operands, for as long as this lives.
class gpu_line {
public:
    explicit gpu_line(runtime::device_index place);

    runtime::gpu_stream& stream() const { return stream_; }
    /// Where the elements of a dense tensor of this device begin. Runs what is pending.
    const char* reads(const Tensor& dense);

    struct result {
        Tensor tensor;
        char* first;
    };
    /// A dense tensor, whose elements the work writes.
    result writes(IntArrayRef sizes, ScalarType dtype);

private:
    const runtime::device_index place_;
    runtime::gpu_stream& stream_;
    std::vector<runtime::buffer_ptr> held_;
    plan::gpu_uses uses_;
};

}  // namespace sinter::front
