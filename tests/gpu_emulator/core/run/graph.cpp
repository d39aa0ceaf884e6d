#include "core/run/graph.hpp"

#include <algorithm>
#include <set>

namespace gpu_emulator {

graph_instance::graph_instance(const graph& g) {
    std::vector<std::shared_ptr<graph_node>> left = g.nodes;
    std::set<const graph_node*> done;
    while (!left.empty()) {
        // A node can only depend on earlier nodes, so there is always one.
        auto ready = std::find_if(left.rbegin(), left.rend(), [&](const auto& n) {
            return std::all_of(n->behind.begin(), n->behind.end(),
                               [&](const graph_node* b) { return done.count(b) > 0; });
        });
        done.insert(ready->get());
        calls.emplace_back(*ready, (*ready)->call);
        left.erase(std::next(ready).base());
    }
}

}  // namespace gpu_emulator
