#include "core/linalg/library.hpp"

#include "core/base/codes.hpp"
#include "core/base/findings.hpp"
#include "core/base/handles.hpp"
#include "core/base/occasions.hpp"
#include "core/base/vendor.hpp"
#include "core/linalg/host_lapack.hpp"
#include "core/memory/address_space.hpp"
#include "core/memory/streams.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace gpu_emulator::library {
namespace {

handles<handle>& all() {
    static handles<handle>& h = *new handles<handle>;
    return h;
}

uintptr_t number(const void* p) { return reinterpret_cast<uintptr_t>(p); }

}  // namespace

status create(void** made) {
    device* on = current_device();
    if (!on || on->error()) return status::failed;
    auto h = std::make_shared<handle>();
    h->on = on;
    h->to = on->default_stream();
    *made = all().give(std::move(h));
    return status::done;
}

std::shared_ptr<handle> find(void* h) { return all().find(h); }

status set_stream(void* h, void* stream) {
    const auto of = find(h);
    if (!of) return status::no_handle;
    const auto s = driver::stream_of(of->on, stream);
    if (!s || s->device() != of->on->number()) return status::invalid;
    of->to = s;
    return status::done;
}

status set_workspace(void* h, void* memory, std::size_t bytes) {
    const auto of = find(h);
    if (!of) return status::no_handle;
    if (memory && !are_allocated("a workspace", {{memory, bytes}})) return status::invalid;
    of->workspace = memory;
    of->workspace_bytes = memory ? bytes : 0;
    return status::done;
}

void* bytes_of(const void* address) { return address_space::get().bytes(number(address)); }

bool are_allocated(const char* name, const std::vector<region>& regions) {
    for (const region& r : regions) {
        if (r.bytes == 0) continue;
        char text[160];
        device* of = device_of(number(r.at));
        if (!of) {
            std::snprintf(text, sizeof text, "no device memory: %s of %zu bytes at 0x%zx", name,
                          r.bytes, number(r.at));
            report(text);
            return false;
        }
        if (of->memory().holds(number(r.at), r.bytes)) continue;
        bool freed = false;
        const std::string where = of->memory().describe(number(r.at), r.bytes, freed);
        std::snprintf(text, sizeof text, "%s of %zu bytes at 0x%zx, ", name, r.bytes, number(r.at));
        report((freed ? "use after free: " : "out of bounds: ") + (text + where));
        return false;
    }
    return true;
}

status submit(void* h, const char* name, bool fits, std::vector<region> regions,
              std::function<bool()> run) {
    const auto of = find(h);
    if (!of) return status::no_handle;
    struct visit {
        std::atomic<int>& inside;
        const int others;
        explicit visit(std::atomic<int>& i) : inside(i), others(i++) {}
        ~visit() { --inside; }
    } here(of->inside);
    if (here.others > 0) {
        report(std::string("one handle on two threads: ") + name);
        return status::failed;
    }
    if (of->on != current_device()) {
        report(std::string("a handle of another device than the current one: ") + name);
        return status::failed;
    }
    if (of->on->error()) return status::failed;
    if (happens(occasion::blas)) return status::failed;
    if (happens(occasion::refuse)) return status::not_supported;
    if (!fits) {
        report(std::string("invalid argument: ") + name);
        return status::invalid;
    }
    if (!are_allocated(name, regions)) return status::invalid;
    device* on = of->on;
    void* const workspace = of->workspace;
    const std::size_t touched = std::min<std::size_t>(of->workspace_bytes, 4096);
    on->submit(of->to,
               [=, name = std::string(name), regions = std::move(regions), run = std::move(run)] {
                   if (on->error()) return;
                   if (!are_allocated(name.c_str(), regions) ||
                       !are_allocated("a workspace", {{workspace, touched}}))
                       return on->fail(illegal_address);
                   // Code that keeps data there fails.
                   if (touched > 0) std::memset(bytes_of(workspace), 0x5a, touched);
                   use_one_thread();
                   if (!run()) on->fail(illegal_address);
               });
    return status::done;
}

}  // namespace gpu_emulator::library
