// Graphs of launches.
#include "core/base/codes.hpp"
#include "core/base/findings.hpp"
#include "core/base/occasions.hpp"
#include "core/base/vendor.hpp"
#include "core/memory/device.hpp"
#include "core/memory/streams.hpp"
#include "core/run/driver.hpp"
#include "core/run/driver_calls.hpp"
#include "core/run/graph.hpp"

#include <algorithm>

namespace gpu_emulator::driver {
namespace {

handles<graph>& graphs() {
    static handles<graph>& all = *new handles<graph>;
    return all;
}
handles<graph_node>& nodes() {
    static handles<graph_node>& all = *new handles<graph_node>;
    return all;
}
handles<graph_instance>& instances() {
    static handles<graph_instance>& all = *new handles<graph_instance>;
    return all;
}

}  // namespace

int create_graph(device* on, void** made, unsigned flags) {
    if (const int failed = check(on)) return failed;
    if (!made || flags != 0) return invalid_value;
    *made = graphs().give(std::make_shared<graph>());
    return success;
}

int destroy_graph(device* on, void* handle) {
    if (!on) return invalid_context;
    const auto g = graphs().take(handle);
    if (!g) return invalid_value;
    for (const auto& n : g->nodes) nodes().take(n.get());
    return success;
}

int add_kernel_node(device* on, void** made, void* handle, void* const* behind, std::size_t count,
                    const kernel_node& k) {
    if (const int failed = check(on)) return failed;
    const auto g = graphs().find(handle);
    if (!g || !made || (count > 0 && !behind)) return invalid_value;
    auto n = std::make_shared<graph_node>();
    if (const int failed = make_call(on, k.function, k.shape, k.parameters, n->call)) return failed;
    const std::lock_guard lock(g->mutex);
    for (std::size_t i = 0; i < count; ++i) {
        const auto found = std::find_if(g->nodes.begin(), g->nodes.end(), [&](const auto& other) {
            return other.get() == behind[i];
        });
        if (found == g->nodes.end()) return invalid_value;
        n->behind.push_back(found->get());
    }
    g->nodes.push_back(n);
    *made = nodes().give(std::move(n));
    return success;
}

int instantiate(device* on, void** made, void* handle, unsigned long long flags) {
    if (const int failed = check(on)) return failed;
    const auto g = graphs().find(handle);
    if (!g || !made || flags != 0) return invalid_value;
    if (happens(occasion::instantiate)) return out_of_memory;
    const std::lock_guard lock(g->mutex);
    *made = instances().give(std::make_shared<graph_instance>(*g));
    return success;
}

int destroy_instance(device* on, void* handle) {
    if (!on) return invalid_context;
    const auto instance = instances().take(handle);
    if (!instance) return invalid_value;
    // Pending launches keep alive what they run.
    const std::lock_guard lock(instance->mutex);
    if (instance->last && !instance->last->is_met() && !vendor.minds_instances)
        report("an instance of a graph is destroyed that has not run yet");
    return success;
}

int set_kernel_node(device* on, void* handle, void* node, const kernel_node& k) {
    if (const int failed = check(on)) return failed;
    const auto instance = instances().find(handle);
    const auto n = nodes().find(node);
    if (!instance || !n) return invalid_value;
    kernel_call changed;
    if (const int failed = make_call(on, k.function, k.shape, k.parameters, changed)) return failed;
    if (happens(occasion::update)) return invalid_value;
    const std::lock_guard lock(instance->mutex);
    for (auto& [of, call] : instance->calls) {
        if (of != n) continue;
        call = std::move(changed);
        return success;
    }
    return invalid_value;
}

int launch_instance(device* on, void* handle, void* stream) {
    if (const int failed = check(on)) return failed;
    const auto instance = instances().find(handle);
    const auto s = stream_of(on, stream);
    if (!instance || !s || s->device() != on->number()) return invalid_value;
    if (happens(occasion::graph)) return out_of_resources;
    const std::lock_guard lock(instance->mutex);
    std::vector<kernel_call> calls;
    std::vector<bool> fails;
    for (const auto& [node, call] : instance->calls) {
        if (call.kernel.from->on().number() != on->number()) return invalid_value;
        calls.push_back(call);
        fails.push_back(happens(occasion::asynchronous));
    }
    awaited_list before;
    if (vendor.minds_instances && instance->last) before.push_back(instance->last);
    const auto done = instance->last = std::make_shared<mark>();
    const auto run = [=, calls = std::move(calls), fails = std::move(fails)] {
        for (std::size_t i = 0; i < calls.size(); ++i) {
            if (fails[i])
                on->fail(launch_failure);
            else
                calls[i].kernel.from->run(*calls[i].kernel.kernel, calls[i].shape,
                                          calls[i].parameters);
        }
        done->reach();
    };
    on->submit(s, run, std::move(before));
    return success;
}

}  // namespace gpu_emulator::driver
