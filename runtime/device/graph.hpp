// Launches that are put on a stream as one: a driver's graph of kernels, one behind the other.
#pragma once

#include "runtime/device/stream.hpp"

#include <span>
#include <vector>

namespace sinter::runtime {

/// Whether the driver has graphs.
inline bool has_graphs(const gpu& g) { return g.api->has_graphs; }

/// One thread at a time uses it.
class gpu_graph {
public:
    /// Throws what the driver refuses.
    gpu_graph(const gpu& g, std::span<const graph_kernel> chain);
    /// Launches that have not run yet do run.
    ~gpu_graph();
    gpu_graph(const gpu_graph&) = delete;
    gpu_graph& operator=(const gpu_graph&) = delete;

    /// Replaces a launch of the chain, for what is put on streams from now on.
    void set(std::size_t i, const graph_kernel& k);
    /// Puts all launches on a stream, and returns their position.
    uint64_t put(gpu_stream& s);

private:
    const gpu& gpu_;
    void *graph_ = nullptr, *instance_ = nullptr;
    std::vector<void*> nodes_;
    gpu_stream* last_ = nullptr;  // where it was put last, and which position that had
    uint64_t position_ = 0;
};

}  // namespace sinter::runtime
