#include "runtime/device/graph.hpp"

#include "runtime/device/event.hpp"

#include <sinter/error.hpp>

#include <deque>
#include <memory>
#include <mutex>

namespace sinter::runtime {
namespace {

/// The driver objects of a graph.
struct graph_handles {
    const gpu* device;
    void *graph, *instance;

    void destroy() const {
        const device_scope scope(*device);
        if (instance) device->api->destroy_instance(instance);
        if (graph) device->api->destroy_graph(graph);
    }
};

/// Graphs that will not be launched again, but whose launches may not have run. Not every driver
/// allows destroying those, so they are destroyed once their launches are done.
class retired_graphs {
public:
    void add(const graph_handles& h, std::unique_ptr<gpu_event> mark) {
        const std::lock_guard lock(mutex_);
        all_.push_back({h, std::move(mark)});
        while (!all_.empty()) {
            entry& oldest = all_.front();
            try {
                if (oldest.mark && !oldest.mark->done()) return;
                oldest.handles.destroy();
                if (oldest.mark) recycle(std::move(oldest.mark));
            } catch (const Error&) {
                // The device has failed, and its graphs are lost.
            }
            all_.pop_front();
        }
    }

private:
    struct entry {
        graph_handles handles;
        std::unique_ptr<gpu_event> mark;  // behind its last launch; null: it was never launched
    };
    std::mutex mutex_;
    std::deque<entry> all_;
};

void retire(const graph_handles& h, gpu_stream* last) noexcept {
    // Leaked: plans are destroyed at the end of threads.
    static auto& all = *new retired_graphs;  // NOLINT(bugprone-unhandled-exception-at-new): empty
    if (driver_is_lost()) return;
    try {
        all.add(h, last ? mark_behind(*last) : nullptr);
    } catch (const std::exception&) {
        // The device has failed, and its graphs are lost.
    }
}

}  // namespace

gpu_graph::gpu_graph(const gpu& g, std::span<const graph_kernel> chain) : gpu_(g) {
    const device_scope scope(g);
    try {
        nodes_.reserve(chain.size());
        check(g, "creating a graph", g.api->create_graph(&graph_, 0));
        for (const graph_kernel& k : chain) {
            void* node = nullptr;
            check(g, "adding a kernel to a graph",
                  g.api->add_kernel(&node, graph_, nodes_.empty() ? nullptr : nodes_.back(), k));
            nodes_.push_back(node);
        }
        check(g, "instantiating a graph", g.api->instantiate(&instance_, graph_, 0));
    } catch (...) {
        if (graph_) g.api->destroy_graph(graph_);
        throw;
    }
}

gpu_graph::~gpu_graph() { retire({&gpu_, graph_, instance_}, last_); }

void gpu_graph::set(std::size_t i, const graph_kernel& k) {
    const device_scope scope(gpu_);
    check(gpu_, "updating a kernel of a graph", gpu_.api->set_kernel(instance_, nodes_[i], k));
}

uint64_t gpu_graph::put(gpu_stream& s) {
    // CUDA serialises launches of one instance; HIP does not document that.
    if (last_ && last_ != &s) s.wait_for(*last_, position_);
    {
        const device_scope scope(gpu_);
        check(gpu_, "launching a graph", gpu_.api->launch_instance(instance_, s.handle()));
    }
    last_ = &s;
    position_ = s.put("launching a graph");
    return position_;
}

}  // namespace sinter::runtime
