// Runs a library operation on the GPU of its operands: `on_gpu` submits its work to a stream,
// ordered after the writes of the operands and before the reads of the result.
#pragma once

#include "engine/graph/graph.hpp"
#include "engine/run/results/library_results.hpp"
#include "runtime/device/stream.hpp"

#include <vector>

namespace sinter::plan {

/// The memory that a stream's next work uses. The work is ordered after earlier uses on other
/// streams, and later uses after everything that was submitted while this lived, even after an
/// exception. Memory without GPU uses is ignored.
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

/// A vector added to each row of a product.
struct added_vector {
    runtime::buffer& memory;
    int64_t offset, stride;  // elements
};

/// Whether the host waits for the tests that an operation makes of its values.
enum class tests_of_values : uint8_t { awaited, deferred };

/// Returns the results of a library node in fresh memory; their work is queued on the thread's
/// current stream. Returns empty results if the operation has no GPU implementation or does not
/// support this call. Throws its errors. With `bias`, of the product's dtype, returns the sums, or
/// empty results if product and bias cannot be one call.
library_results run_on_gpu(const Node& n, tests_of_values tests,
                           const added_vector* bias = nullptr);

}  // namespace sinter::plan
