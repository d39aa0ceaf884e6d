// Memory for what a library node computes: one result, or several.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/device/buffer.hpp"

#include <span>
#include <vector>

namespace sinter::plan {

class library_results {
public:
    /// Nothing: the operation was not run.
    library_results() = default;
    /// Fresh memory on a device, uninitialised.
    library_results(const Node& n, runtime::device_index device);

    explicit operator bool() const { return !buffers_.empty(); }
    std::span<const runtime::buffer_ptr> buffers() const { return buffers_; }
    /// A call of the node's operation that writes here.
    op_call call(const Node& n, std::span<const op_input> inputs,
                 runtime::gpu_stream* stream = nullptr) const;
    /// The same values on another device.
    library_results on(runtime::device_index device) const;
    /// Makes the node's value ready.
    void publish_to(Version& v) &&;

private:
    std::vector<runtime::buffer_ptr> buffers_;
    std::vector<op_result> results_;  // none: there is one, of the node's dtype and shape
};

/// Computes a result_op: takes its part out of the several results that its source holds, or copies
/// it where others read the same part.
void run_result_node(Node& n);

}  // namespace sinter::plan
