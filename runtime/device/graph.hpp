// A driver graph: a chain of kernel launches that is submitted to a stream as one.
#pragma once

#include "runtime/device/stream.hpp"

#include <span>
#include <vector>

namespace sinter::runtime {

/// Returns true if the driver supports graphs.
inline bool has_graphs(const gpu& g) { return g.api->has_graphs; }

/// Only one thread at a time may use it.
class gpu_graph {
public:
    /// Throws Error if the driver refuses the graph.
    gpu_graph(const gpu& g, std::span<const graph_kernel> chain);
    /// Submitted launches still run.
    ~gpu_graph();
    gpu_graph(const gpu_graph&) = delete;
    gpu_graph& operator=(const gpu_graph&) = delete;

    /// Replaces a launch of the chain for later calls of `put`.
    void set(std::size_t i, const graph_kernel& k);
    /// Submits all launches to a stream and returns their position.
    uint64_t put(gpu_stream& s);

private:
    const gpu& gpu_;
    void *graph_ = nullptr, *instance_ = nullptr;
    std::vector<void*> nodes_;
    gpu_stream* last_ = nullptr;  // stream and position of the last `put`
    uint64_t position_ = 0;
};

}  // namespace sinter::runtime
