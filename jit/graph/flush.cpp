// Computing pending values. One flush runs at a time; partial writes cut it into plans, each of
// which sees only complete values.
#include "jit/graph/graph.hpp"
#include "jit/graph/pending.hpp"
#include "jit/lower.hpp"
#include "runtime/stats.hpp"

#include <sinter/error.hpp>
#include <sinter/stats.hpp>

#include <algorithm>
#include <cstdlib>

#include <pthread.h>

namespace sinter::inline v1 {
namespace {

/// Planning and launching share scratch fields of versions, and a launch uses all threads anyway.
std::mutex& flush_mutex() {
    static auto* m = [] {
        auto* made = new std::mutex;  // leaked: other threads may flush while the process exits
        return made;
    }();
    return *m;
}

thread_local bool flushing = false;

struct flush_scope {
    flush_scope() : lock(flush_mutex()) { flushing = true; }
    ~flush_scope() { flushing = false; }
    std::lock_guard<std::mutex> lock;
};

bool pending(const Version& v) {
    return v.state.load(std::memory_order_acquire) == version_state::pending;
}

/// The pending partial writes that `wanted` depend on, in program order.
std::vector<intrusive_ptr<Version>> partial_writes(std::span<Version* const> wanted) {
    std::vector<Version*> stack, seen;
    std::vector<intrusive_ptr<Version>> found;
    auto visit = [&](Version* v) {
        if (!v->producer || !pending(*v) || v->index >= 0) return;
        v->index = 0;
        seen.push_back(v);
        stack.push_back(v);
    };
    for (Version* v : wanted) visit(v);
    while (!stack.empty()) {
        Version* v = stack.back();
        stack.pop_back();
        Node& n = *v->producer;
        if (n.partial()) found.emplace_back(v);
        for (Edge& e : n.sources)
            if (e.value) visit(e.value.get());
        if (n.partial()) visit(n.base.value.get());
    }
    for (Version* v : seen) v->index = -1;
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) {
        return a->producer->sequence < b->producer->sequence;
    });
    return found;
}

void run(Version* v) {
    Version* one[] = {v};
    lower(one);
}

}  // namespace

int64_t max_pending_nodes() {
    static const int64_t limit = [] {
        const char* text = std::getenv("SINTER_MAX_PENDING");
        const long long n = text ? std::atoll(text) : 0;
        return n > 0 ? static_cast<int64_t>(n) : int64_t{131072};
    }();
    return limit;
}

void flush(std::span<Version* const> wanted, int reason) {
    bool any = false;
    for (Version* v : wanted) any = any || pending(*v);
    if (any && wanted.size() == 1 && !flushing) {
        flush_scope scope;
        if (pending(*wanted[0]) && lower_directly(*wanted[0])) {
            runtime::count.flushed(static_cast<flush_reason>(reason));
            return;
        }
    }
    if (any) {
        if (flushing)
            throw InternalError("[flush] a flush inside a flush; this is a bug of sinter");
        std::vector<intrusive_ptr<Version>> hold;
        for (Version* v : wanted) hold.emplace_back(v);
        flush_scope scope;
        runtime::count.flushed(static_cast<flush_reason>(reason));
        for (auto& next : partial_writes(wanted)) {
            // Nothing here may hold the base while its successor runs: it could not be written in
            // place.
            const intrusive_ptr<Version> v = std::move(next);
            if (!pending(*v)) continue;
            Version& base = *v->producer->base.value;
            if (pending(base)) run(&base);
            if (base.state == version_state::failed) {
                v->error = base.error;
                v->state = version_state::failed;
                drop_producer(*v);
                continue;
            }
            run(v.get());
        }
        std::vector<Version*> rest;
        for (Version* v : wanted)
            if (pending(*v)) rest.push_back(v);
        if (!rest.empty()) lower(rest);
    }
    for (Version* v : wanted)
        if (v->state.load(std::memory_order_acquire) == version_state::failed)
            std::rethrow_exception(v->error);
}

Buffer& ready_buffer(const TensorImpl& t, int reason) {
    const intrusive_ptr<Version> v = t.storage->current;
    Version* one[] = {v.get()};
    flush(one, reason);
    return *t.storage->current->buffer;
}

void settle(Storage& s, int reason) {
    const intrusive_ptr<Version> v = s.current;
    Version* one[] = {v.get()};
    flush(one, reason);
    std::vector<intrusive_ptr<Version>> readers;
    {
        std::lock_guard lock(graph_mutex());
        for (Edge* e = v->readers; e; e = e->next)
            if (e->reader->result) readers.emplace_back(e->reader->result);
    }
    std::vector<Version*> results;
    for (const auto& r : readers) results.push_back(r.get());
    flush(results, reason);
}

}  // namespace sinter::inline v1
