// The interface between the graph, which runs operations, and a hand-written (not generated)
// kernel.
#pragma once

#include "kernels/attributes.hpp"

#include <sinter/dtype.hpp>
#include <sinter/geometry.hpp>

#include <span>

namespace sinter::runtime {
class gpu_stream;
}

namespace sinter::inline v1 {

/// An operand. It may be strided.
struct op_input {
    const char* data;  // start of the storage
    const geometry* shape;
    ScalarType dtype;
};
/// One of several results.
struct op_result {
    char* data;  // of the storage
    const geometry* shape;
    ScalarType dtype;
};
struct kernel_op;
struct op_call {
    const kernel_op& op;
    std::span<const op_input> inputs;
    const op_attributes* attributes;  // null: the operation has none
    char* output;                     // the storage
    const geometry& shape;
    ScalarType dtype;
    std::span<const op_result> results = {};  // of an operation with several; `output` is null then
    runtime::gpu_stream* stream = nullptr;    // of a GPU, whose addresses these are
    bool checked = false;                     // `check` has found nothing
};
struct kernel_op {
    const char* name;
    /// Computes the result. An Error that it throws makes the node fail for good, except
    /// OutOfMemoryError.
    void (*run)(const op_call& call);
    /// True if the output begins as a copy of inputs[0], which has its sizes and dtype. The output
    /// is that memory itself if nothing else needs the value. Then `run` must not throw; `check`
    /// does.
    bool updates = false;
    /// Throws for forbidden values, before the result is allocated (`output` is null). The checks
    /// of indexing operations also take GPU addresses.
    void (*check)(const op_call& call) = nullptr;
    /// True if it calls a vendor's library, false if it is a kernel of kernels/.
    bool vendor = false;
    /// True if it takes complex elements. If false, the call refuses them.
    bool complex = false;
    /// A product of matrices (kernels/linalg/product.hpp), which kernels before and after it join.
    bool product = false;
    /// The same on a GPU: data and output of the call are device addresses. Puts work on the
    /// stream, which is behind what wrote the inputs, and waits for nothing that it need not read.
    /// False, with nothing put, where it does not take this call: then the CPU computes it over
    /// copies. It finds out itself what `check` would, and throws what `run` would. What an
    /// updating operation changes is in its place already.
    bool (*on_gpu)(const op_call& call, runtime::gpu_stream& stream) = nullptr;
};

}  // namespace sinter::inline v1
