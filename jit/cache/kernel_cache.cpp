#include "jit/cache/kernel_cache.hpp"

#include "jit/cache/disk.hpp"
#include "jit/cache/loader.hpp"
#include "jit/cache/memory.hpp"
#include "jit/cache/plugin.hpp"
#include "jit/cache/target.hpp"
#include "runtime/log.hpp"
#include "runtime/trace.hpp"

#include <sinter/error.hpp>

#include <cstring>

#include <atomic>
#include <chrono>
#include <utility>

namespace sinter::cache {
namespace {

using runtime::debug_enabled, runtime::debug_print, runtime::debug_stage;

/// Leaked on purpose: kernels are wanted until the last thread ends.
struct process_cache {
    memory_cache memory;
    disk_cache disk{config_from_environment(),
                    [](const std::string& text) { runtime::warn_once("cache.disk", text); }};
    std::atomic<uint64_t> hits{0}, loaded{0}, compiled{0};
};

process_cache& the_cache() {
    static auto* c = new process_cache;
    return *c;
}

codegen::target required_target() {
    std::optional<codegen::target> level = process_target();
    if (!level)
        throw Error(
            "[jit] kernels need a processor of level x86-64-v3 (AVX2, FMA, BMI2, F16C); got "
            "a lesser one; try SINTER_JIT=off");
    return *level;
}

/// A kernel that this call must get: its slot is claimed, and given back unless it is published.
class claimed {
public:
    claimed(memory_cache& memory, memory_cache::slot& slot, bytes request, byte_view kernel,
            lookup& result)
        : memory_(&memory),
          slot_(&slot),
          request_(std::move(request)),
          kernel_(kernel),
          result_(&result) {}
    claimed(claimed&& other) noexcept
        : memory_(other.memory_),
          slot_(std::exchange(other.slot_, nullptr)),
          request_(std::move(other.request_)),
          kernel_(other.kernel_),
          result_(other.result_) {}
    claimed& operator=(claimed&&) = delete;
    ~claimed() {
        if (slot_) memory_->abandon(*slot_);
    }

    byte_view request() const { return request_; }
    byte_view serialized() const { return kernel_; }

    void publish(const artefact& a, source from) {
        memory_->publish(*slot_, kernel{load_image(a)});
        *result_ = {slot_->ready(), from};
        slot_ = nullptr;
    }

private:
    memory_cache* memory_;
    memory_cache::slot* slot_;
    bytes request_;
    byte_view kernel_;
    lookup* result_;
};

void describe(codegen::target level, const std::vector<byte_view>& kernels,
              const std::vector<compile_reply>& replies,
              std::chrono::steady_clock::time_point start) {
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    std::string text = std::to_string(kernels.size()) +
                       (kernels.size() == 1 ? " kernel" : " kernels") + " compiled for " +
                       name_of(level) + " in " + std::to_string(took.count()).substr(0, 5) + " ms:";
    for (const compile_reply& r : replies)
        text += r.error.empty() ? " " + std::to_string(r.image.size()) + " bytes" : " failed";
    debug_print(debug_stage::codegen, text);
}

void compile_all(process_cache& c, codegen::target level, uint32_t mode,
                 std::vector<claimed>& missing) {
    std::vector<byte_view> kernels;
    for (const claimed& m : missing) kernels.push_back(m.serialized());
    const auto start = std::chrono::steady_clock::now();
    runtime::trace_span span("jit", "compile");
    span.detail("kernels", static_cast<int64_t>(kernels.size()));
    std::vector<compile_reply> replies = compile_kernels(level, mode, kernels);
    if (debug_enabled(debug_stage::codegen, 1)) describe(level, kernels, replies, start);
    std::string error;
    for (std::size_t n = 0; n < missing.size(); ++n) {
        const compile_reply& r = replies[n];
        if (!r.error.empty()) {
            error = r.error;
            continue;
        }
        artefact a{missing[n].request(), r.image, r.entry};
        missing[n].publish(a, source::compiled);
        c.compiled.fetch_add(1, std::memory_order_relaxed);
        c.disk.store(a);
    }
    if (!error.empty())
        throw InternalError("[jit] a kernel cannot be compiled: " + error +
                            "; this is a bug of sinter");
}

/// One round: what nobody else is getting is got here. Returns whether others are getting some.
bool get_claimable(process_cache& c, const std::vector<byte_view>& kernels,
                   std::vector<lookup>& results) {
    codegen::target level = required_target();
    uint32_t mode = process_mode();
    std::vector<claimed> missing;
    std::vector<memory_cache::slot*> elsewhere;
    for (std::size_t n = 0; n < kernels.size(); ++n) {
        if (results[n].k) continue;
        bytes request = codegen::make_request(level, mode, kernels[n]);
        bool mine = false;
        memory_cache::slot& slot = c.memory.claim(request, mine);
        if (!mine) {
            results[n] = {slot.ready(), source::memory};
            if (results[n].k)
                c.hits.fetch_add(1, std::memory_order_relaxed);
            else
                elsewhere.push_back(&slot);
            continue;
        }
        claimed m(c.memory, slot, std::move(request), kernels[n], results[n]);
        bool found = c.disk.find(m.request(), [&](const artefact& a) {
            m.publish(a, source::disk);
            if (debug_enabled(debug_stage::cache, 1))
                debug_print(debug_stage::cache,
                            std::to_string(kernels[n].size()) + " bytes of kernel IR: from disk");
            c.loaded.fetch_add(1, std::memory_order_relaxed);
        });
        if (found) continue;
        if (debug_enabled(debug_stage::cache, 1))
            debug_print(debug_stage::cache, std::to_string(kernels[n].size()) +
                                                " bytes of kernel IR: not in the cache");
        missing.push_back(std::move(m));
    }
    if (!missing.empty()) compile_all(c, level, mode, missing);
    for (memory_cache::slot* s : elsewhere) c.memory.wait(*s);
    return !elsewhere.empty();
}

std::vector<lookup> get_views(const std::vector<byte_view>& kernels) {
    process_cache& c = the_cache();
    std::vector<lookup> results(kernels.size());
    runtime::trace_span span("cache", "find kernels");
    // Another thread may have failed at what this one waited for: then it is tried here.
    while (get_claimable(c, kernels, results)) {
    }
    if (span) {
        int64_t from[3] = {};
        for (const lookup& r : results) ++from[static_cast<int>(r.from)];
        span.detail("from memory", from[static_cast<int>(source::memory)]);
        span.detail("from disk", from[static_cast<int>(source::disk)]);
        span.detail("compiled", from[static_cast<int>(source::compiled)]);
    }
    return results;
}

}  // namespace

lookup get(const std::vector<uint8_t>& serialized_kernel) {
    return get_views({serialized_kernel}).front();
}

std::vector<lookup> get(const std::vector<std::vector<uint8_t>>& serialized_kernels) {
    return get_views({serialized_kernels.begin(), serialized_kernels.end()});
}

bool kernels_usable(std::string* why_not) {
    if (std::strcmp(target_level(), "none") != 0) return plugin_present(why_not);
    if (why_not) *why_not = "this processor is below x86-64-v3";
    return false;
}

bool compiler_available(std::string* why_not) {
    if (!process_target()) {
        if (why_not) *why_not = "this processor is below x86-64-v3";
        return false;
    }
    return open_plugin(why_not);
}

const char* target_level() { return name_of(process_target()); }

std::string cache_folder() { return the_cache().disk.config().folder; }

counters count() {
    const process_cache& c = the_cache();
    return {c.hits.load(std::memory_order_relaxed), c.loaded.load(std::memory_order_relaxed),
            c.compiled.load(std::memory_order_relaxed)};
}

}  // namespace sinter::cache
