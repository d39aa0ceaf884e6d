#include "engine/run/brief_path.hpp"

#include "engine/graph/claim.hpp"
#include "engine/graph/pending.hpp"
#include "engine/run/direct_kernels.hpp"
#include "engine/run/direct_reductions.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "jit/launch/launch.hpp"
#include "jit/launch/scalar_bits.hpp"
#include "runtime/base/mode.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"

#include <sinter/error.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace sinter::plan {
namespace {

/// The operands of a plain node, the result last, for its kernel.
struct plain_row {
    kernel_ir::operand_arg* operands;
    int loads = 0;
    uint64_t alias = 0;  // the load number of each source
};

/// Returns the bytes of a value, or null if it is not ready or its bytes may not be read now.
char* bytes_of(const Version& v) {
    if (v.state.load(std::memory_order_acquire) != version_state::ready || v.pins < 0)
        return nullptr;
    const Buffer* b = v.buffer.get();
    return !b || b->in_flight() ? nullptr : static_cast<char*>(b->data);
}

/// Returns false if a source cannot be read now.
bool find_operands(const Node& n, plain_row& r) {
    const Version* seen[max_sources];
    const auto item = static_cast<int64_t>(elementSize(n.code->uniform));
    for (const Edge& e : n.sources) {
        const Version* v = e.value.get();
        char* const bytes = bytes_of(*v);
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
        scalars[i] = runtime::scalar_bits(n.scalars[static_cast<std::size_t>(k->scalar[i].index)],
                                          k->scalar[i].type);
    std::optional<timed_run> timed;
    if (n.shape->numel == k->numel) timed.emplace(*k->timing, k->bytes);
    if (k->runs) k->runs->fetch_add(1, std::memory_order_relaxed);
    runtime::call_rows(k->fn, r.operands, scalars, 1, n.shape->numel);
    return result;
}

/// Computes a reduction. Returns null, with nothing done, if it needs another way.
runtime::buffer_ptr run_reduction(const Node& n, std::size_t bytes, runtime::buffer_ptr place) {
    const direct_reduction* k = find_direct_reduction(n);
    if (!k) return {};
    char* const from = bytes_of(*n.sources[0].value);
    if (!from) return {};
    runtime::buffer_ptr result = buffer_if_possible(bytes, std::move(place));
    if (!result) return {};
    kernel_ir::operand_arg operands[] = {k->operands[0], k->operands[1]};
    operands[k->input].ptr = from;
    operands[1 - k->input].ptr = static_cast<char*>(result->data);
    const timed_run timed(*k->timing, k->bytes);
    if (k->runs) k->runs->fetch_add(1, std::memory_order_relaxed);
    runtime::call_rows(k->fn, operands, nullptr, k->n1, k->n0);
    return result;
}

}  // namespace

bool run_brief_path(const TensorImpl& t, flush_reason why) {
    Storage& s = *t.storage;
    Version& v = *s.current;
    if (v.state.load(std::memory_order_acquire) != version_state::pending ||
        v.device != runtime::main_memory || current_mode() == Mode::eager || runtime::tracing() ||
        runtime::may_debug.load(std::memory_order_relaxed))
        return false;
    std::unique_ptr<Node> done;  // destroyed after the lock is released, maybe with its sources
    std::lock_guard lock(graph_mutex());
    const Node* n = v.producer;
    if (!n || n->claimed || !may_enter_flush()) return false;
    // No other thread changes these fields of a storage without bytes: see fast_path.cpp.
    const bool fresh = !s.main && !s.resident && !s.address_known.load(std::memory_order_relaxed);
    runtime::buffer_ptr place;
    if (!fresh) {
        std::lock_guard links(home_lock());
        if (s.address_known.load(std::memory_order_relaxed)) return false;
        place = forgotten_buffer(v);
    }
    runtime::buffer_ptr result = n->plain ? run_plain(*n, v.nbytes(), std::move(place))
                                 : n->kind == node_kind::reduce
                                     ? run_reduction(*n, v.nbytes(), std::move(place))
                                     : runtime::buffer_ptr();
    if (!result) return false;
    runtime::counters& count = runtime::count();
    count.flushed(why);
    count.plans_replayed.add();
    count.kernels_launched.add();
    count.cache_hits.add();
    if (fresh)
        publish_first(v, s, std::move(result));
    else
        publish(v, std::move(result));
    done = take_producer(v);
    return true;
}

}  // namespace sinter::plan
