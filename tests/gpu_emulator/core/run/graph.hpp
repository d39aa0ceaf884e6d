// Launches recorded in a graph, and instances of the graph that run as a unit.
#pragma once

#include "core/memory/event.hpp"
#include "core/run/launch.hpp"
#include "core/run/module.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace gpu_emulator {

/// A launch with the bytes of its parameters.
struct kernel_call {
    function kernel;
    launch_shape shape;
    std::vector<char> parameters;
};

struct graph_node {
    kernel_call call;
    std::vector<const graph_node*> behind;
};

struct graph {
    std::mutex mutex;
    std::vector<std::shared_ptr<graph_node>> nodes;
};

/// The calls in an order that the edges allow. Where possible it differs from the order in which
/// the nodes were made, so that a missing edge is detected.
class graph_instance {
public:
    explicit graph_instance(const graph& g);

    std::mutex mutex;
    std::vector<std::pair<std::shared_ptr<graph_node>, kernel_call>> calls;  // with their nodes
    std::shared_ptr<mark> last;  // of the last launch; launches run one after another
};

}  // namespace gpu_emulator
