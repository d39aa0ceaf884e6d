// The interface between the graph, which runs operations, and a hand-written (not generated)
// kernel.
#pragma once

#include "kernels/attributes.hpp"

#include <sinter/core/geometry.hpp>
#include <sinter/dtype.hpp>

#include <memory>
#include <span>
#include <vector>

namespace sinter::runtime {
class gpu_stream;
class deferred_check;
}  // namespace sinter::runtime

namespace sinter::inline v1 {

/// An operand. It may be strided.
struct op_input {
    const char* data;  // start of the storage
    const geometry* shape;
    ScalarType dtype;
};
/// One of several results.
struct op_result {
    char* data;  // start of the storage
    const geometry* shape;
    ScalarType dtype;
};
struct kernel_op;
struct op_call {
    const kernel_op& op;
    std::span<const op_input> inputs;
    const op_attributes* attributes;  // null: the operation has none
    char* output;                     // start of the storage
    const geometry& shape;
    ScalarType dtype;
    std::span<const op_result> results = {};  // set if there are several; `output` is then null
    runtime::gpu_stream* stream = nullptr;    // set for a GPU call: the addresses are its device's
    // GPU: gets the tests of values whose outcome is learned later; null: they are waited for
    std::vector<std::shared_ptr<runtime::deferred_check>>* deferred = nullptr;
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
    /// True for a matrix product (kernels/linalg/product.hpp), which takes a prologue and an
    /// epilogue.
    bool product = false;
    /// The GPU form: inputs and results are device addresses. Puts work on the stream, after the
    /// work that wrote the inputs, and waits only for values that it must read. Returns false, with
    /// nothing put, if it does not take this call: then the CPU computes it over copies. It makes
    /// the tests of `check` itself, and throws what `run` would, or adds to `deferred` what knows
    /// it later. For an updating operation the output already holds the value to change.
    bool (*on_gpu)(const op_call& call, runtime::gpu_stream& stream) = nullptr;
    /// What `on_gpu` makes the host wait for, as `explain` says it. Null: it waits for nothing.
    const char* waits_for = nullptr;
};

}  // namespace sinter::inline v1
