#include "engine/run/memory_pressure.hpp"

#include <sinter/error.hpp>
#include <sinter/stats.hpp>

#include <algorithm>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

namespace sinter::inline v1 {
namespace {

/// Results of the pending nodes of GPUs: nothing else leads to them from outside. Guarded by the
/// graph mutex; leaked, as tensors may die after main.
using pending_set = std::unordered_set<Version*>;
pending_set& waiting() {
    static auto& all = *new pending_set;
    return all;
}
/// Its nodes that hold nothing, for the next ones.
std::vector<pending_set::node_type>& spare_nodes() {
    static auto& all = *new std::vector<pending_set::node_type>;
    return all;
}

bool has_owner(const Version& v) {
    const std::lock_guard lock(home_lock());
    return v.owner != nullptr;
}

/// Bytes of values that only pending work keeps, as far as this one depends on them.
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

std::vector<candidate> candidates(runtime::place_number place) {
    std::vector<candidate> found;
    const std::lock_guard lock(graph_mutex());
    for (Version* v : waiting()) {
        // Others are computed on the way to those that somebody can ask for.
        if (v->device != place || !has_owner(*v)) continue;
        const std::size_t behind = bytes_behind(*v), own = v->nbytes();
        if (behind <= own) continue;
        if (auto held = try_share(v)) found.push_back({std::move(held), behind - own});
    }
    std::sort(found.begin(), found.end(),
              [](const candidate& a, const candidate& b) { return a.frees > b.frees; });
    return found;
}

}  // namespace

void note_pending(const Node& n) {
    std::vector<pending_set::node_type>& spare = spare_nodes();
    if (spare.empty()) {
        waiting().insert(n.result);
        return;
    }
    spare.back().value() = n.result;
    waiting().insert(std::move(spare.back()));
    spare.pop_back();
}

void forget_pending(const Node& n) {
    constexpr std::size_t most = 1024;
    pending_set::node_type node = waiting().extract(n.result);
    if (node && spare_nodes().size() < most) spare_nodes().push_back(std::move(node));
}

bool make_room(runtime::place_number place) {
    static thread_local bool busy = false;
    if (busy || place == runtime::main_memory) return false;
    struct scope {
        scope() { busy = true; }
        ~scope() { busy = false; }
    } const guard;
    bool any = false;
    for (candidate& c : candidates(place)) {
        Version* one[] = {c.value.get()};
        try {
            flush(one, static_cast<int>(flush_reason::bounds));
            any = true;
        } catch (const OutOfMemoryError&) {  // a smaller one may still have room
        } catch (const Error&) {
            any = true;  // it failed, and holds nothing any more
        }
    }
    return any;
}

runtime::buffer_ptr make_buffer_with_room(std::size_t bytes, runtime::place_number place) {
    if (place == runtime::main_memory) return runtime::make_buffer(bytes);
    try {
        return runtime::make_buffer(bytes, place);
    } catch (const OutOfMemoryError&) {
        if (!make_room(place)) throw;
    }
    return runtime::make_buffer(bytes, place);
}

}  // namespace sinter::inline v1
