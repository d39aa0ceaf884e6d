// Devices, memory, streams and events.
#include "core/run/driver.hpp"

#include "core/base/codes.hpp"
#include "core/base/findings.hpp"
#include "core/base/occasions.hpp"
#include "core/base/vendor.hpp"
#include "core/memory/address_space.hpp"
#include "core/memory/device.hpp"
#include "core/memory/event.hpp"
#include "core/memory/host_waits.hpp"
#include "core/memory/host_memory.hpp"
#include "core/memory/streams.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

namespace gpu_emulator::driver {
namespace {

handles<event>& events() {
    static handles<event>& all = *new handles<event>;
    return all;
}

uintptr_t address(const void* p) { return reinterpret_cast<uintptr_t>(p); }

/// One end of a copy.
enum class place { device, pinned, pageable };
place place_of(const void* p, std::size_t bytes) {
    if (address_space::get().device_of(address(p)) >= 0) return place::device;
    return is_pinned(p, bytes) ? place::pinned : place::pageable;
}

/// Returns the host address of the bytes.
char* bytes_at(const void* p) {
    const address_space& space = address_space::get();
    if (space.device_of(address(p)) >= 0) return space.bytes(address(p));
    return const_cast<char*>(static_cast<const char*>(p));
}

/// Returns true if a copy or fill may use the bytes; otherwise reports a finding.
bool is_usable(const char* what, const void* p, std::size_t bytes) {
    device* of = device_of(address(p));
    if (!of || of->memory().holds(address(p), bytes)) return true;
    bool freed = false;
    const std::string where = of->memory().describe(address(p), bytes, freed);
    char text[96];
    std::snprintf(text, sizeof text, "%s of %zu bytes at 0x%zx, ", what, bytes, address(p));
    report((freed ? "use after free: " : "out of bounds: ") + (text + where));
    return false;
}

}  // namespace

std::shared_ptr<stream> stream_of(device* on, void* handle) {
    // 1 also names the default stream.
    if (!handle || handle == reinterpret_cast<void*>(1)) return on->default_stream();
    return streams().find(handle);
}

handles<stream>& streams() {
    static handles<stream>& all = *new handles<stream>;
    return all;
}

int check(device* on) {
    if (!on) return invalid_context;
    return on->error();
}

// ---- devices

int synchronize(device* on) {
    if (const int failed = check(on)) return failed;
    happens(occasion::synchronize);
    host_waits_now();
    on->finish();
    return on->error();
}

int open_peer(device* on, device* peer) {
    if (const int failed = check(on)) return failed;
    if (!peer || peer == on) return invalid_device;
    return on->open_peer(peer->number()) ? success : peer_already_open;
}

// ---- memory

int allocate(device* on, void** memory, std::size_t bytes) {
    if (const int failed = check(on)) return failed;
    if (!memory || bytes == 0) return invalid_value;
    if (happens(occasion::allocate)) return out_of_memory;
    const uintptr_t at = on->memory().allocate(bytes);
    if (at == 0) return out_of_memory;
    *memory = reinterpret_cast<void*>(at);
    return success;
}

int deallocate(device* on, void* memory) {
    if (const int failed = check(on)) return failed;
    if (!memory) return success;
    device* owner = device_of(address(memory));
    if (!owner || !owner->memory().owns(address(memory))) return invalid_value;
    happens(occasion::deallocate);
    // As in the drivers: submitted work may still use the memory.
    host_waits_now();
    owner->finish();
    owner->memory().release(address(memory));
    return on->error();
}

int memory_info(device* on, std::size_t* free, std::size_t* total) {
    if (const int failed = check(on)) return failed;
    *total = on->memory().capacity();
    *free = *total - on->memory().used();
    return success;
}

int allocate_host(device* on, void** memory, std::size_t bytes) {
    if (const int failed = check(on)) return failed;
    if (!memory || bytes == 0) return invalid_value;
    *memory = allocate_pinned(bytes);
    return *memory ? success : out_of_memory;
}

int deallocate_host(device* on, void* memory) {
    if (const int failed = check(on)) return failed;
    if (!memory) return success;
    if (!is_pinned(memory, 1)) return invalid_value;
    host_waits_now();
    for (int n = 0; n < device::count(); ++n) device::get(n)->finish();
    return release_pinned(memory) ? success : invalid_value;
}

int fill(device* on, void* memory, unsigned char value, std::size_t bytes, void* stream) {
    if (const int failed = check(on)) return failed;
    const auto s = stream_of(on, stream);
    if (!s) return invalid_handle;
    if (bytes == 0) return success;
    if (place_of(memory, bytes) == place::pageable || !is_usable("fill", memory, bytes))
        return invalid_value;
    happens(occasion::fill);
    device* where = device::get(s->device());
    where->submit(s, [=] {
        if (where->error()) return;
        if (is_usable("fill", memory, bytes))
            std::memset(bytes_at(memory), value, bytes);
        else
            where->fail(illegal_address);
    });
    return success;
}

int copy(device* on, void* to, const void* from, std::size_t bytes, void* stream) {
    if (const int failed = check(on)) return failed;
    const auto s = stream_of(on, stream);
    if (!s) return invalid_handle;
    if (happens(occasion::copy)) return unknown;
    if (bytes == 0) return success;
    if (!is_usable("copy to", to, bytes) || !is_usable("copy from", from, bytes))
        return invalid_value;
    device* where = device::get(s->device());
    // A driver may stage pageable memory or wait for it, and promises neither: here the host must
    // wait before it reads the target, or changes the source.
    const bool pageable =
        place_of(to, bytes) == place::pageable || place_of(from, bytes) == place::pageable;
    awaited_list before;
    if (pageable) before.push_back(std::make_shared<host_wait>());
    where->submit(
        s,
        [=] {
            if (where->error()) return;
            if (!is_usable("copy to", to, bytes) || !is_usable("copy from", from, bytes))
                return where->fail(illegal_address);
            std::memmove(bytes_at(to), bytes_at(from), bytes);
        },
        std::move(before));
    return success;
}

// ---- streams

int create_stream(device* on, void** stream, bool waits_for_default, int priority) {
    if (const int failed = check(on)) return failed;
    priority = std::clamp(priority, vendor.greatest_priority, vendor.least_priority);
    // 0 is that of streams without one.
    if (priority > 0) happens(occasion::low);
    *stream = streams().give(on->make_stream(waits_for_default, priority));
    return success;
}

int destroy_stream(device* on, void* stream) {
    if (!on) return invalid_context;
    const auto s = streams().take(stream);
    if (!s) return invalid_handle;
    // Its remaining tasks still run, but no other stream waits for it any more.
    device::get(s->device())->forget(s);
    s->close();
    return on->error();
}

int finish_stream(device* on, void* stream) {
    if (const int failed = check(on)) return failed;
    const auto s = stream_of(on, stream);
    if (!s) return invalid_handle;
    happens(occasion::synchronize);
    host_waits_now();
    s->finish();
    return device::get(s->device())->error();
}

int query_stream(device* on, void* stream) {
    if (const int failed = check(on)) return failed;
    happens(occasion::query);
    const auto s = stream_of(on, stream);
    if (!s) return invalid_handle;
    if (turns::get()) turns::get()->asked();
    if (!s->has_finished(s->last()) || s->answers().denies()) return not_ready;
    return on->error();
}

int make_stream_wait(device* on, void* stream, void* event) {
    if (const int failed = check(on)) return failed;
    const auto s = stream_of(on, stream);
    const auto e = events().find(event);
    if (!s || !e) return invalid_handle;
    if (const auto m = e->recorded()) device::get(s->device())->submit(s, [] {}, {m});
    return success;
}

// ---- events

int create_event(device* on, void** made, bool timed) {
    if (const int failed = check(on)) return failed;
    *made = events().give(std::make_shared<event>(on->number(), timed));
    return success;
}

int destroy_event(device* on, void* event) {
    if (!on) return invalid_context;
    return events().take(event) ? on->error() : invalid_handle;
}

int record_event(device* on, void* event, void* stream) {
    if (const int failed = check(on)) return failed;
    const auto s = stream_of(on, stream);
    const auto e = events().find(event);
    if (!s || !e || s->device() != e->device()) return invalid_handle;
    const auto m = std::make_shared<mark>();
    e->record(m);
    device::get(s->device())->submit(s, [m] { m->reach(); });
    return success;
}

int query_event(device* on, void* event) {
    if (const int failed = check(on)) return failed;
    happens(occasion::query);
    const auto e = events().find(event);
    if (!e) return invalid_handle;
    if (turns::get()) turns::get()->asked();
    const auto m = e->recorded();
    if (m && (!m->is_met() || m->answers().denies())) return not_ready;
    return on->error();
}

int finish_event(device* on, void* event) {
    if (const int failed = check(on)) return failed;
    const auto e = events().find(event);
    if (!e) return invalid_handle;
    happens(occasion::synchronize);
    host_waits_now();
    if (const auto m = e->recorded()) m->wait();
    return on->error();
}

int elapsed(device* on, float* milliseconds, void* from, void* to) {
    if (const int failed = check(on)) return failed;
    const auto first = events().find(from), last = events().find(to);
    if (!first || !last || !first->is_timed() || !last->is_timed()) return invalid_handle;
    const auto begin = first->recorded(), end = last->recorded();
    if (!begin || !end) return invalid_handle;
    if (!begin->is_met() || !end->is_met()) return not_ready;
    *milliseconds = std::chrono::duration<float, std::milli>(end->at() - begin->at()).count();
    return success;
}

}  // namespace gpu_emulator::driver
