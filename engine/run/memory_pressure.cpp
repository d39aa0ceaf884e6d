#include "engine/run/memory_pressure.hpp"

#include "engine/graph/pending.hpp"
#include "engine/run/flush.hpp"
#include "runtime/types/number_checks.hpp"

#include <sinter/error.hpp>
#include <sinter/stats.hpp>
#include <sinter/tensor.hpp>

#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sinter::inline v1 {
namespace {

/// Returns the bytes of the values that `result` depends on and that only pending nodes keep alive.
std::size_t bytes_behind(const Version& result) {
    std::vector<const Version*> stack{&result};
    std::unordered_set<const Version*> seen{&result};
    std::size_t bytes = 0;
    const auto visit = [&](const Version* v) {
        if (!v || !seen.insert(v).second) return;
        if (v->state.load(std::memory_order_acquire) == version_state::pending)
            stack.push_back(v);
        else if (!has_owner(*v))
            bytes += v->nbytes();
    };
    while (!stack.empty()) {
        const Version* v = stack.back();
        stack.pop_back();
        if (!v->producer) continue;
        for (const Edge& e : v->producer->sources) visit(e.value.get());
        if (v->producer->partial()) visit(v->producer->base().value.get());
    }
    return bytes;
}

struct candidate {
    intrusive_ptr<Version> value;
    std::size_t frees;  // beyond its own size
};

std::vector<candidate> candidates(runtime::device_index device) {
    std::vector<candidate> found;
    const std::lock_guard lock(graph_mutex());
    for (Version* v : pending_on_gpus()) {
        // Values without an owner are computed as dependences of values with one.
        if (v->device != device || !has_owner(*v)) continue;
        const std::size_t behind = bytes_behind(*v), own = v->nbytes();
        if (behind <= own) continue;
        if (auto held = try_share(v)) found.push_back({std::move(held), behind - own});
    }
    std::sort(found.begin(), found.end(),
              [](const candidate& a, const candidate& b) { return a.frees > b.frees; });
    return found;
}

}  // namespace

bool make_room(runtime::device_index device) {
    static thread_local bool busy = false;
    if (busy || device == runtime::main_memory) return false;
    struct scope {
        scope() { busy = true; }
        ~scope() { busy = false; }
    } const guard;
    bool any = false;
    for (candidate& c : candidates(device)) {
        Version* one[] = {c.value.get()};
        try {
            flush(one, static_cast<int>(flush_reason::bounds));
            any = true;
        } catch (const OutOfMemoryError&) {  // a smaller one may still fit
        } catch (const Error&) {
            any = true;  // it failed, and no longer keeps its sources alive
        }
    }
    return any;
}

runtime::buffer_ptr make_buffer_with_room(std::size_t bytes, runtime::device_index device) {
    if (device == runtime::main_memory) return runtime::make_buffer(bytes);
    try {
        return runtime::make_buffer(bytes, device);
    } catch (const OutOfMemoryError&) {
        if (!make_room(device)) throw;
    }
    return runtime::make_buffer(bytes, device);
}

intrusive_ptr<TensorImpl> make_empty(ScalarType dtype, geometry_ptr shape,
                                     runtime::device_index device) {
    runtime::require_dtype("empty", dtype);
    const std::size_t bytes = static_cast<std::size_t>(shape->numel) * elementSize(dtype);
    return make_ready(make_buffer_with_room(bytes, device), dtype, std::move(shape));
}

}  // namespace sinter::inline v1
