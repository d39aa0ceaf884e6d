// Computes pending values. Partial writes split a flush into several plans, each of which claims
// its nodes and sees only complete values.
#include "engine/graph/claim.hpp"
#include "engine/graph/deferred.hpp"
#include "engine/graph/gradient.hpp"
#include "engine/graph/graph.hpp"
#include "engine/graph/pending.hpp"
#include "engine/watch/watch.hpp"
#include "engine/run/brief_path.hpp"
#include "engine/run/flush.hpp"
#include "engine/run/lower.hpp"
#include "engine/run/memory_pressure.hpp"
#include "engine/run/old_readers.hpp"
#include "engine/run/shared_values.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/memory/arena.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/stats.hpp"
#include "runtime/report/trace.hpp"

#include <sinter/error.hpp>
#include <sinter/stats.hpp>

#include <algorithm>
#include <string>

namespace sinter::inline v1 {
namespace {

// initial-exec: other TLS models call __tls_get_addr at each access.
[[gnu::tls_model("initial-exec")]] constinit thread_local bool flushing = false;

struct flush_scope {
    flush_scope() {
        if (flushing) runtime::bug("flush", "a flush runs inside a flush");
        flushing = true;
    }
    ~flush_scope() { flushing = false; }
    flush_scope(const flush_scope&) = delete;
};

bool pending(const Version& v) {
    return v.state.load(std::memory_order_acquire) == version_state::pending;
}

/// Returns the pending partial writes that `wanted` depend on, in program order.
runtime::arena_vector<intrusive_ptr<Version>> partial_writes(std::span<Version* const> wanted) {
    if (partial_writes_pending() == 0) return {};
    std::lock_guard lock(graph_mutex());
    struct scratch {
        runtime::arena_vector<Version*> seen;
        ~scratch() {
            for (Version* v : seen) v->index = -1;
        }
    } walk;
    runtime::arena_vector<intrusive_ptr<Version>> found;
    auto visit = [&](Version* v) {
        if (!v->producer || !pending(*v) || v->index >= 0) return;
        walk.seen.push_back(v);
        v->index = 0;
    };
    for (Version* v : wanted) visit(v);
    for (std::size_t i = 0; i < walk.seen.size(); ++i) {
        Version* v = walk.seen[i];
        Node& n = *v->producer;
        if (n.partial()) found.emplace_back(v);
        for (Edge& e : n.sources)
            if (e.value) visit(e.value.get());
        if (n.partial()) visit(n.base().value.get());
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a->producer->sequence < b->producer->sequence;
    });
    runtime::arena_vector<Version*> writes;
    for (const auto& v : found) writes.push_back(v.get());
    for_each_shared(writes, wanted, [](Node& n) {
        if (!n.claimed) n.marked = true;  // else its flush may mark it just now, without the mutex
    });
    return found;
}

/// Returns the base that a pending partial write changes, or null once it is computed.
intrusive_ptr<Version> base_of(const Version& v) {
    std::lock_guard lock(graph_mutex());
    return v.producer && pending(v) ? v.producer->base().value : intrusive_ptr<Version>{};
}

void run(Version* v) {
    Version* one[] = {v};
    lower(one);
}

void describe(std::size_t wanted, flush_reason why) {
    runtime::debug_print(runtime::debug_stage::graph,
                         std::string("flush (") + to_string(why) + "): " + std::to_string(wanted) +
                             (wanted == 1 ? " value of " : " values of ") +
                             std::to_string(runtime::nodes_pending.get()) + " pending operations");
}

class graph_now final : public graph_state {
    bool waits(const Version& v) const override { return v.producer && pending(v); }
    void keep(Node& n) override { n.marked = true; }
};

void run_all(std::span<Version* const> wanted, int depth = 0);

/// Computes what reads the old elements of a storage before `v` changes some of them.
void run_old_readers(Version& v, int depth) {
    if (depth == deepest_old_readers) return;
    graph_now now;
    const runtime::arena_vector<intrusive_ptr<Version>> readers = old_readers(v, now);
    if (readers.empty()) return;
    runtime::arena_vector<Version*> wanted;
    for (const auto& r : readers) wanted.push_back(r.get());
    run_all(wanted, depth + 1);
}

/// `depth`: how many partial writes wait meanwhile for what reads their old elements.
void run_all(std::span<Version* const> wanted, int depth) {
    const runtime::arena memory;
    runtime::arena_vector<intrusive_ptr<Version>> hold;
    for (Version* v : wanted) hold.emplace_back(v);
    for (auto& next : partial_writes(wanted)) {
        const intrusive_ptr<Version> v = std::move(next);
        // A reference to the base while its successor runs would prevent an in-place write.
        {
            const intrusive_ptr<Version> base = base_of(*v);
            if (!base) continue;
            if (pending(*base)) run(base.get());
        }
        run_old_readers(*v, depth);
        run(v.get());
    }
    if (wanted.size() == 1) {
        if (pending(*wanted[0])) lower(wanted);
        return;
    }
    runtime::arena_vector<Version*> rest, elsewhere;
    for (Version* v : wanted)
        if (pending(*v)) rest.push_back(v);
    // Pending nodes do not read from other devices, so each device gets separate plans.
    while (!rest.empty()) {
        const runtime::device_index device = rest.front()->device;
        const auto others = std::stable_partition(
            rest.begin(), rest.end(), [device](const Version* v) { return v->device == device; });
        elsewhere.assign(others, rest.end());
        rest.erase(others, rest.end());
        lower(rest);
        rest.swap(elsewhere);
    }
}

/// `held`: the storage of the only wanted version, if the caller holds it, or null.
void run_pending(std::span<Version* const> wanted, int reason, Storage* held) {
    flush_scope scope;
    const auto why = static_cast<flush_reason>(reason);
    runtime::count().flushed(why);
    runtime::trace_span span("graph", "flush");
    if (span) {
        span.detail("why", to_string(why));
        span.detail("values", static_cast<int64_t>(wanted.size()));
        span.detail("pending", runtime::nodes_pending.get());
    }
    if (runtime::debug_enabled(runtime::debug_stage::graph, 1)) describe(wanted.size(), why);
    if (wanted.size() != 1 || wanted[0]->planned || !lower_by_fast_path(*wanted[0], held))
        run_all(wanted);
}

void run_or_make_room(std::span<Version* const> wanted, int reason, Storage* held,
                      runtime::device_index device) {
    bool again = false;
    try {
        run_pending(wanted, reason, held);
    } catch (const OutOfMemoryError&) {
        // Finished steps stay ready, and computing other pending values may free memory.
        again = make_room(device);
        if (!again) throw;
    }
    if (again) run_pending(wanted, reason, held);
}

void run_with_companions(std::span<Version* const> wanted, int reason, Storage* held,
                         runtime::device_index device) {
    const std::vector<intrusive_ptr<Version>> more = find_companions(wanted, true);
    std::vector<Version*> all(wanted.begin(), wanted.end());
    for (const auto& c : more) all.push_back(c.get());
    run_or_make_room(all, reason, held, device);
}

/// A recorded function that needs a value cannot be replayed without it.
void note_read(int reason) {
    if (watching) [[unlikely]]
        watching->note(std::string("needs a value at once (") +
                       to_string(static_cast<flush_reason>(reason)) + ")");
}

void flush_versions(std::span<Version* const> wanted, int reason, Storage* held) {
    note_read(reason);
    Version* any = nullptr;
    for (Version* v : wanted)
        if (pending(*v)) any = v;
    if (any && companions.load(std::memory_order_relaxed) != 0)
        run_with_companions(wanted, reason, held, any->device);
    else if (any && (wanted.size() == 1 || watching || flushing ||
                     !plan::run_brief_path(wanted, static_cast<flush_reason>(reason))))
        run_or_make_room(wanted, reason, held, any->device);
    for (Version* v : wanted)
        if (v->state.load(std::memory_order_acquire) == version_state::failed)
            std::rethrow_exception(v->error);
}

}  // namespace

void flush(std::span<Version* const> wanted, int reason) {
    flush_versions(wanted, reason, nullptr);
}

void flush(const TensorImpl& t, int reason) {
    if (!watching && !flushing && companions.load(std::memory_order_relaxed) == 0 &&
        plan::run_brief_path(t, static_cast<flush_reason>(reason)))
        return;
    Version* one[] = {t.storage->current.get()};
    flush_versions(one, reason, t.storage.get());
}

Buffer& ready_buffer(const TensorImpl& t, int reason) {
    // What a function fills in itself, as tensor({1, 2}) does, is the same at each call.
    if (watching && !watching->storages.contains(t.storage.get())) note_read(reason);
    if (Version& v = *t.storage->current;
        v.state.load(std::memory_order_acquire) == version_state::ready) {
        wait_for_checks(v);
        runtime::before_host_reads(*v.buffer);
        return *v.buffer;
    }
    const intrusive_ptr<Version> v = t.storage->current;
    flush(t, reason);
    wait_for_checks(*t.storage->current);
    runtime::before_host_reads(*t.storage->current->buffer);
    return *t.storage->current->buffer;
}

void settle(Storage& s, int reason) {
    const intrusive_ptr<Version> v = s.current;
    Version* one[] = {v.get()};
    flush(one, reason);
    std::vector<intrusive_ptr<Version>> readers;
    {
        // A flush that runs a reader frees what only that reads: it must not find a new holder.
        std::unique_lock lock(graph_mutex());
        const auto running = [&v] {
            for (const Edge* e = v->readers; e; e = e->next)
                if (e->reader->claimed) return true;
            return false;
        };
        while (!flushing && running()) wait_for_claims(lock);
        for (Edge* e = v->readers; e; e = e->next)
            if (auto result = try_share(e->reader->result)) readers.push_back(std::move(result));
    }
    std::vector<Version*> results;
    for (const auto& r : readers) results.push_back(r.get());
    flush(results, reason);
}

}  // namespace sinter::inline v1
