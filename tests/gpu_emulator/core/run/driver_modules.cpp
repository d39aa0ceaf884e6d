// Modules and launches.
#include "core/run/driver.hpp"

#include "core/base/codes.hpp"
#include "core/base/findings.hpp"
#include "core/base/occasions.hpp"
#include "core/base/vendor.hpp"
#include "core/memory/device.hpp"
#include "core/memory/streams.hpp"
#include "core/run/driver_calls.hpp"
#include "core/run/module.hpp"

#include <cstring>
#include <map>

namespace gpu_emulator::driver {
namespace {

handles<module>& modules() {
    static handles<module>& all = *new handles<module>;
    return all;
}

/// The handles of a module's kernels; they live as long as the module.
struct functions {
    std::mutex mutex;
    std::map<const kernel_info*, function> all;
};
functions& known() {
    static functions& f = *new functions;
    return f;
}

bool is_within(index3 i, uint64_t x, uint64_t y, uint64_t z) {
    return i.x >= 1 && i.y >= 1 && i.z >= 1 && i.x <= x && i.y <= y && i.z <= z;
}

bool is_possible(const launch_shape& s) {
    return is_within(s.blocks, 0x7fffffff, 65535, 65535) && is_within(s.threads, 1024, 1024, 64) &&
           uint64_t{s.threads.x} * s.threads.y * s.threads.z <= 1024 &&
           uint64_t{s.blocks.x} * s.threads.x <= vendor.most_launched &&
           uint64_t{s.blocks.y} * s.threads.y <= vendor.most_launched &&
           uint64_t{s.blocks.z} * s.threads.z <= vendor.most_launched;
}

/// Returns the code with which a launch is refused whose registers nothing guarantees, after a
/// finding; 0: it is not.
int check_bounds(const kernel_info& k, const launch_shape& s) {
    const uint32_t threads = s.threads.x * s.threads.y * s.threads.z;
    const uint32_t most = k.bound ? k.bound : vendor.unbounded_threads;
    if (threads <= most) return success;
    report("launch bounds: a block of " + std::to_string(threads) + " threads; kernel " + k.name +
           (k.bound ? " has bounds of " + std::to_string(most)
                    : " has none, and " + std::to_string(most) + " are certain to be possible"));
    return k.bound ? vendor.beyond_bounds : out_of_resources;
}

}  // namespace

int load_module(device* on, void** loaded, const void* bytes) {
    if (const int failed = check(on)) return failed;
    if (!loaded || !bytes) return invalid_value;
    if (happens(occasion::module)) return invalid_image;
    // Images are ELF files, which drivers read in place.
    if (reinterpret_cast<uintptr_t>(bytes) % 8 != 0) return invalid_image;
    std::optional<image> code = read_image(bytes);
    if (!code) return invalid_image;
    if (vendor.refuses)
        if (const int failed = vendor.refuses(code->architecture, code->release)) return failed;
    if (!vendor.runs_on(code->architecture, vendor.architecture)) return no_binary_for_device;
    auto m = std::make_shared<module>(*on, std::move(*code));
    if (!m->why_not().empty()) {
        report("a module does not link: " + m->why_not());
        return invalid_image;
    }
    *loaded = modules().give(std::move(m));
    return success;
}

int unload_module(device* on, void* handle) {
    if (!on) return invalid_context;
    const auto m = modules().take(handle);
    if (!m) return invalid_handle;
    // Pending launches keep the code alive.
    const std::lock_guard lock(known().mutex);
    for (const kernel_info& k : m->kernels()) known().all.erase(&k);
    return on->error();
}

int find_function(device* on, void** found, void* handle, const char* name) {
    if (const int failed = check(on)) return failed;
    if (!found || !name) return invalid_value;
    const auto m = modules().find(handle);
    if (!m) return invalid_handle;
    for (const kernel_info& k : m->kernels()) {
        if (k.name != name) continue;
        const std::lock_guard lock(known().mutex);
        known().all[&k] = {m, &k, 0};
        *found = const_cast<kernel_info*>(&k);
        return success;
    }
    return not_found;
}

int allow_shared(device* on, void* handle, int bytes) {
    if (const int failed = check(on)) return failed;
    const std::lock_guard lock(known().mutex);
    const auto it = known().all.find(static_cast<const kernel_info*>(handle));
    if (it == known().all.end()) return invalid_handle;
    function& f = it->second;
    if (bytes < 0 || f.kernel->shared_bytes + static_cast<uint64_t>(bytes) > vendor.most_shared)
        return invalid_value;
    f.allowed = static_cast<unsigned>(bytes);
    return success;
}

int make_call(device* on, void* handle, const launch_shape& shape, void** parameters,
              kernel_call& made) {
    function f;
    {
        const std::lock_guard lock(known().mutex);
        const auto it = known().all.find(static_cast<const kernel_info*>(handle));
        if (it != known().all.end()) f = it->second;
    }
    if (!f.from || f.from->on().number() != on->number()) return invalid_handle;
    if (!is_possible(shape) || (!f.kernel->sizes.empty() && !parameters)) return invalid_value;
    if (f.kernel->shared_bytes + uint64_t{shape.shared} > vendor.shared_memory &&
        shape.shared > f.allowed)
        return invalid_value;
    if (const int refused = check_bounds(*f.kernel, shape)) return refused;
    std::vector<char> copied(f.kernel->parameter_bytes);
    for (std::size_t p = 0; p < f.kernel->sizes.size(); ++p)
        std::memcpy(copied.data() + f.kernel->offsets[p], parameters[p], f.kernel->sizes[p]);
    made = {std::move(f), shape, std::move(copied)};
    return success;
}

int launch_kernel(device* on, void* handle, const launch_shape& shape, void* stream,
                  void** parameters) {
    if (const int failed = check(on)) return failed;
    const auto s = stream_of(on, stream);
    if (!s || s->device() != on->number()) return invalid_handle;
    kernel_call call;
    if (const int failed = make_call(on, handle, shape, parameters, call)) return failed;
    if (happens(occasion::launch)) return out_of_resources;
    const bool fails = happens(occasion::asynchronous);
    on->submit(s, [=, call = std::move(call)] {
        if (fails)
            on->fail(launch_failure);
        else
            call.kernel.from->run(*call.kernel.kernel, call.shape, call.parameters);
    });
    return success;
}

}  // namespace gpu_emulator::driver
