#include "engine/run/results/result_buffers.hpp"

#include "runtime/base/fault.hpp"
#include "runtime/report/stats.hpp"

namespace sinter::plan {
namespace {

/// Moves a version to a separate buffer, so that its old one can be overwritten.
void move_out(Version& v) {
    if (fault("hazard")) return;
    runtime::buffer_ptr own = runtime::make_buffer(v.nbytes(), v.device);
    runtime::copy_bytes(*own, *v.buffer, v.nbytes());
    v.buffer = std::move(own);
    std::lock_guard lock(home_lock());
    if (Storage* s = v.home) {
        s->resident = nullptr;
        v.home = nullptr;
    }
}

bool conflicts(std::span<const concurrent_read> reads, const Buffer* buffer) {
    for (const concurrent_read& r : reads)
        if (!r.in_step && r.value->buffer.get() == buffer) return true;
    return false;
}

/// Returns true if results never go into this memory.
bool is_fixed(const Buffer& b) { return b.external || b.read_only || b.in_flight(); }

/// Returns true if a value's memory is that of no tensor but, as the old value of it, of `s`.
/// References: the version and, then, `Storage::main`.
bool is_alone(const Version& from, const Storage* s) {
    const bool own = s && from.home == s;
    return (own || !from.home) && from.buffer->references.load() == (own ? 2u : 1u);
}

/// Returns the storage whose newest version this is, kept alive, or null.
intrusive_ptr<Storage> storage_of(const Version& v) {
    std::lock_guard lock(home_lock());
    return try_share(v.owner);
}

intrusive_ptr<Version> resident_of(const Storage& s) {
    std::lock_guard lock(home_lock());
    return try_share<Version>(s.resident);
}

runtime::buffer_ptr place_partial(Version& v, std::span<const concurrent_read> reads,
                                  const needed_fn& needed) {
    Version& base = *v.producer->base().value;
    if (base.unwritten) return runtime::make_buffer(base.nbytes(), base.device);
    const intrusive_ptr<Storage> s = storage_of(v);
    const bool fixed = s && s->address_known;
    if (fixed && base.buffer.get() != s->main.get()) {
        if (const auto r = resident_of(*s)) move_out(*r);
        runtime::copy_bytes(*s->main, *base.buffer, base.nbytes());
        return s->main;
    }
    if (needed(base, 0) || conflicts(reads, base.buffer.get())) {
        runtime::buffer_ptr taken = base.buffer;
        if (fixed) {
            move_out(base);
            return taken;
        }
        runtime::buffer_ptr copy = runtime::make_buffer(base.nbytes(), base.device);
        runtime::copy_bytes(*copy, *base.buffer, base.nbytes());
        return copy;
    }
    return base.buffer;
}

}  // namespace

runtime::buffer_ptr forgotten_buffer(const Version& v) {
    const Storage* s = v.owner;
    if (!s || !s->main || s->resident || s->main->references.load() != 1 ||
        s->main->bytes != v.nbytes() || is_fixed(*s->main))
        return {};
    return s->main;
}

runtime::buffer_ptr dying_buffer(const Version& v) {
    const Node& n = *v.producer;
    for (const Edge& e : n.sources) {
        const Version* from = e.value.get();
        if (!from || from->references.load() != 1 || from->nbytes() != v.nbytes() ||
            !e.shape->contiguous || e.shape->offset != 0 ||
            e.shape->sizes_ref() != n.shape->sizes_ref() ||
            elementSize(e.dtype) != elementSize(n.dtype) || isComplexType(e.dtype))
            continue;
        if (!is_fixed(*from->buffer) && is_alone(*from, v.owner)) return from->buffer;
    }
    return {};
}

runtime::buffer_ptr result_buffer(Version& v, std::span<const concurrent_read> reads,
                                  const needed_fn& needed) {
    if (v.producer->partial()) {
        runtime::buffer_ptr b = place_partial(v, reads, needed);
        runtime::before_host_writes(*b);
        return b;
    }
    const intrusive_ptr<Storage> s = storage_of(v);
    if (s && s->address_known) {
        const intrusive_ptr<Version> r = resident_of(*s);
        if (r && r.get() != &v && (needed(*r, 1) || conflicts(reads, s->main.get()))) move_out(*r);
        runtime::before_host_writes(*s->main);
        return s->main;
    }
    for (const concurrent_read& r : reads) {
        Version& from = *r.value;
        if (!r.same || !(r.last || fault("donate-viewed")) || from.nbytes() != v.nbytes() ||
            is_fixed(*from.buffer))
            continue;
        if (!is_alone(from, s.get()) && !fault("donate-viewed")) continue;
        if (conflicts(reads, from.buffer.get())) continue;
        runtime::count().bytes_donated.add(v.nbytes());
        return from.buffer;
    }
    runtime::buffer_ptr forgotten;
    {
        std::lock_guard lock(home_lock());
        forgotten = forgotten_buffer(v);
    }
    return forgotten ? forgotten : runtime::make_buffer(v.nbytes(), v.device);
}

void publish(Version& v, runtime::buffer_ptr buffer) {
    buffer->references.add_unseen();
    auto main = runtime::buffer_ptr::adopt(buffer.get());
    {
        std::lock_guard lock(home_lock());
        if (Storage* s = v.owner) {
            if (s->resident && s->resident != &v) s->resident->home = nullptr;
            s->main.swap(main);  // the old buffer is released after the lock
            s->resident = &v;
            v.home = s;
        } else if (v.producer->partial()) {
            // Not the newest version any more, but it overwrote its base, so it has that home now.
            Version& base = *v.producer->base().value;
            Storage* s = base.home;
            if (s && base.buffer == buffer) {
                v.home = s;
                s->resident = &v;
                base.home = nullptr;
            }
        }
    }
    v.buffer = std::move(buffer);
    v.state.store(version_state::ready, std::memory_order_release);
}

void publish_first(Version& v, Storage& s, runtime::buffer_ptr buffer) {
    buffer->references.add_unseen();
    s.main = runtime::buffer_ptr::adopt(buffer.get());
    s.resident = &v;
    v.home = &s;
    v.buffer = std::move(buffer);
    v.state.store(version_state::ready, std::memory_order_release);
}

void release_bytes(Version& v) {
    if (v.home) {
        std::lock_guard lock(home_lock());
        if (Storage* s = v.home) {
            s->resident = nullptr;
            v.home = nullptr;
        }
    }
    v.buffer.reset();
    v.parts.reset();
}

void fail(Version& v, std::exception_ptr error) {
    v.error = std::move(error);
    v.state.store(version_state::failed, std::memory_order_release);
}

void settle_result(Version& v, runtime::buffer_ptr result) {
    const bool fixed = [&] {
        std::lock_guard lock(home_lock());
        return v.owner && v.owner->address_known;
    }();
    if (fixed) {
        runtime::buffer_ptr b = result_buffer(v, {}, [](const Version&, uint32_t) { return true; });
        runtime::copy_bytes(*b, *result, v.nbytes());
        result = std::move(b);
    }
    publish(v, std::move(result));
}

bool has_known_address(const Version& v) {
    std::lock_guard lock(home_lock());
    return v.owner && v.owner->address_known;
}

bool is_private(const Version& v) { return !v.producer->partial() && !has_known_address(v); }

}  // namespace sinter::plan
