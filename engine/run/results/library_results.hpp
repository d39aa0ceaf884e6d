// The memory into which a library node writes its result, or its several results.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/device/buffer.hpp"

#include <span>
#include <vector>

namespace sinter::plan {

class library_results {
public:
    /// Empty: the operation was not run.
    library_results() = default;
    /// Allocates uninitialised memory on a device.
    library_results(const Node& n, runtime::device_index device);

    explicit operator bool() const { return !buffers_.empty(); }
    std::span<const runtime::buffer_ptr> buffers() const { return buffers_; }
    /// Returns a call of the node's operation that writes to this memory.
    op_call call(const Node& n, std::span<const op_input> inputs,
                 runtime::gpu_stream* stream = nullptr) const;
    /// Returns a copy on another device, for publish_to only.
    library_results on(runtime::device_index device) const;
    /// Makes `v`, the value of the node, ready with this memory.
    void publish_to(Version& v) &&;

private:
    std::vector<runtime::buffer_ptr> buffers_;
    std::vector<op_result> results_;  // empty if there is one, with the node's dtype and shape
};

/// Runs a result_op node: moves its part out of the several results that its source holds, or
/// copies the part if others may read it.
void run_result_node(Node& n);

}  // namespace sinter::plan
