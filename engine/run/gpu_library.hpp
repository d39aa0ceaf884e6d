// A library operation on the GPU where its operands are: what its `on_gpu` puts on the stream,
// between what wrote the operands and what will read the result.
#pragma once

#include "engine/graph/graph.hpp"
#include "engine/run/library_results.hpp"
#include "runtime/device/stream.hpp"

#include <vector>

namespace sinter::plan {

/// What a stream's next work uses: that comes behind what others do with the memory, and later uses
/// come behind all that was put on the stream while this lived, whether an exception ended it or
/// not. Memory that no GPU touches is no matter.
class gpu_uses {
public:
    explicit gpu_uses(runtime::gpu_stream& s) : stream_(s) {}
    ~gpu_uses();
    gpu_uses(const gpu_uses&) = delete;
    gpu_uses& operator=(const gpu_uses&) = delete;

    void reads(runtime::buffer& b);
    void writes(runtime::buffer& b);

private:
    runtime::gpu_stream& stream_;
    std::vector<runtime::stream_uses*> read_, written_;
};

/// A vector that is added to the rows of a product.
struct added_vector {
    runtime::buffer& memory;
    int64_t offset, stride;  // elements
};

/// The results of a library node, pending on the thread's current stream, in memory of their own.
/// None where the operation has nothing for GPUs, or does not take this call. Throws its errors.
/// `bias`, of a product of its dtype: of the sums; none where that is not one call.
library_results run_on_gpu(const Node& n, const added_vector* bias = nullptr);

}  // namespace sinter::plan
