#include "engine/run/brief_path.hpp"

#include "engine/graph/claim.hpp"
#include "engine/graph/pending.hpp"
#include "engine/run/brief_plans.hpp"
#include "engine/run/direct_kernels.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "jit/launch/launch.hpp"
#include "runtime/base/mode.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"

#include <sinter/error.hpp>

#include <boost/container/static_vector.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace sinter::plan {
namespace {

constexpr std::size_t most_targets = taken_nodes::most / 2;

/// The operands of a plain node, the result last, for its kernel.
struct plain_row {
    kernel_ir::operand_arg* operands;
    int loads = 0;
    uint64_t alias = 0;  // the load number of each source
};

/// Returns false if a source cannot be read now.
bool find_operands(const Node& n, plain_row& r) {
    const Version* seen[max_sources];
    const auto item = static_cast<int64_t>(elementSize(n.code->uniform));
    for (const Edge& e : n.sources) {
        const Version* v = e.value.get();
        char* const bytes = readable_bytes(*v);
        if (!bytes) return false;
        int load = 0;
        while (load < r.loads && seen[load] != v) ++load;
        r.alias = r.alias << 3 | static_cast<uint64_t>(load);
        if (load < r.loads) continue;
        seen[load] = v;
        std::construct_at(r.operands + load, bytes, 0, item);
        ++r.loads;
    }
    return true;
}

/// Returns the kernel of a plain node, or null.
const direct_kernel* kernel_of(const Node& n, const plain_row& r) {
    const direct_kernel* k = find_direct(n.code, dense_signature(r.alias, r.loads, n.dtype));
    return k && k->fn && !k->integer_scalars ? k : nullptr;  // those may want a plan
}

/// Returns memory for a result: `place`, or fresh memory if that is null and there is some.
runtime::buffer_ptr buffer_if_possible(std::size_t bytes, runtime::buffer_ptr place) {
    if (place) return place;
    try {
        return runtime::make_buffer(bytes);
    } catch (const OutOfMemoryError&) {  // others may make room
        return {};
    }
}

/// Computes a plain node, by a kernel that cannot fail: others have plans. Returns null, with
/// nothing done, if it needs another way.
runtime::buffer_ptr run_plain(const Node& n, std::size_t bytes, runtime::buffer_ptr place) {
    if (n.sources.size() > max_sources) return {};
    alignas(kernel_ir::operand_arg) std::byte room[max_sources + 1][sizeof(kernel_ir::operand_arg)];
    plain_row r{reinterpret_cast<kernel_ir::operand_arg*>(room)};
    if (!find_operands(n, r)) return {};
    const direct_kernel* k = kernel_of(n, r);
    if (!k || !may_hold_mutex(n.shape->numel, k->cost)) return {};
    runtime::buffer_ptr result = buffer_if_possible(bytes, std::move(place));
    if (!result) return {};
    std::construct_at(r.operands + r.loads, static_cast<char*>(result->data), 0,
                      static_cast<int64_t>(elementSize(n.dtype)));
    uint64_t scalars[max_scalars];
    for (std::size_t i = 0; i < static_cast<std::size_t>(k->scalars); ++i)
        scalars[i] = scalar_of(n, k->scalar[i]);
    std::optional<timed_run> timed;
    if (n.shape->numel == k->numel) timed.emplace(*k->timing, k->bytes);
    if (k->runs) k->runs->fetch_add(1, std::memory_order_relaxed);
    runtime::call_rows(k->fn, r.operands, scalars, 1, n.shape->numel);
    return result;
}

/// `fresh`: the storage whose first value it is, or null.
void publish_result(Version& v, Storage* fresh, runtime::buffer_ptr result) {
    if (fresh)
        publish_first(v, *fresh, std::move(result));
    else
        publish(v, std::move(result));
}

/// A flush of claimed nodes, during which the graph mutex is free.
class claimed_flush {
public:
    claimed_flush(brief_work& w, std::unique_lock<runtime::waiting_lock>& lock)
        : w_(w), lock_(lock) {
        w_.claim_all();
        lock_.unlock();
    }
    ~claimed_flush() {
        lock_.lock();
        w_.unclaim_all();
    }
    claimed_flush(const claimed_flush&) = delete;

private:
    brief_work& w_;
    std::unique_lock<runtime::waiting_lock>& lock_;
};

/// A value to compute, and where.
struct target {
    Version* value;
    Storage* fresh;             // the storage whose first value it is, or null
    runtime::buffer_ptr place;  // memory for it, or null
};

/// Computes values by a prepared plan. Returns false, with nothing done, if there is none.
[[gnu::noinline]] bool run_prepared(std::span<Version* const> values, std::span<target> targets,
                                    std::unique_lock<runtime::waiting_lock>& lock,
                                    taken_nodes& done) {
    brief_work w;
    if (!w.collect(values)) return false;
    const brief_plan* const p = w.find();
    if (!p) return false;
    for (target& t : targets) {
        t.place = buffer_if_possible(t.value->nbytes(), std::move(t.place));
        if (!t.place) return false;
        w.place(*t.value, *t.place);
    }
    const auto run = [&] {
        w.run(*p);
        for (target& t : targets) publish_result(*t.value, t.fresh, std::move(t.place));
    };
    if (is_brief(*p)) {
        run();
    } else {
        // Other threads may write to the tensors meanwhile.
        for (const target& t : targets) done.held.push_back(share(t.value));
        try {
            const claimed_flush claimed(w, lock);
            run();
        } catch (const OutOfMemoryError&) {  // others may make room
            return false;
        }
    }
    w.end(done);
    return true;
}

bool is_excluded() {
    return current_mode() == Mode::eager || runtime::tracing() ||
           runtime::may_debug.load(std::memory_order_relaxed);
}

void note_run(flush_reason why) {
    runtime::counters& count = runtime::count();
    count.flushed(why);
    count.plans_replayed.add();
    count.cache_hits.add();
}

}  // namespace

bool run_brief_path(const TensorImpl& t, flush_reason why) {
    Storage& s = *t.storage;
    Version& v = *s.current;
    if (v.state.load(std::memory_order_acquire) != version_state::pending ||
        v.device != runtime::main_memory || is_excluded())
        return false;
    taken_nodes done;  // destroyed after the lock is released, maybe with their sources
    std::unique_lock lock(graph_mutex());
    const Node* n = v.producer;
    if (!n || n->claimed || !may_enter_flush()) return false;
    // No other thread changes these fields of a storage without bytes: see fast_path.cpp.
    Storage* const fresh =
        !s.main && !s.resident && !s.address_known.load(std::memory_order_relaxed) ? &s : nullptr;
    runtime::buffer_ptr place;
    if (!fresh) {
        std::lock_guard links(home_lock());
        if (s.address_known.load(std::memory_order_relaxed)) return false;
        place = forgotten_buffer(v);
    }
    if (runtime::buffer_ptr result =
            n->plain ? run_plain(*n, v.nbytes(), place) : runtime::buffer_ptr()) {
        runtime::count().kernels_launched.add();
        publish_result(v, fresh, std::move(result));
        done.take(take_producer(v));
    } else {
        Version* values[] = {&v};
        target targets[] = {{&v, fresh, std::move(place)}};
        if (!run_prepared(values, targets, lock, done)) return false;
    }
    note_run(why);
    return true;
}

bool run_brief_path(std::span<Version* const> wanted, flush_reason why) {
    boost::container::static_vector<Version*, most_targets> values;
    boost::container::static_vector<target, most_targets> targets;
    if (is_excluded()) return false;
    taken_nodes done;  // destroyed after the lock is released, maybe with their sources
    std::unique_lock lock(graph_mutex());
    if (!may_enter_flush()) return false;
    {
        const std::lock_guard links(home_lock());
        for (Version* const v : wanted) {
            if (v->state.load(std::memory_order_acquire) != version_state::pending) continue;
            if (values.size() == most_targets || v->device != runtime::main_memory ||
                (v->owner && v->owner->address_known.load(std::memory_order_relaxed)))
                return false;
            if (std::find(values.begin(), values.end(), v) != values.end()) continue;
            values.push_back(v);
            targets.push_back({v, nullptr, forgotten_buffer(*v)});
        }
    }
    if (!run_prepared(values, targets, lock, done)) return false;
    note_run(why);
    return true;
}

}  // namespace sinter::plan
