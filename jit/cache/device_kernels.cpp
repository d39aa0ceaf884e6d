#include "jit/cache/device_kernels.hpp"

#include "jit/cache/device_key.hpp"
#include "jit/cache/identity.hpp"
#include "jit/cache/miss.hpp"
#include "jit/cache/places.hpp"
#include "jit/codegen/c_like/value.hpp"
#include "jit/stored/compression.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/report/log.hpp"
#include "runtime/report/trace.hpp"

#include <sinter/error.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <tuple>

namespace sinter::code_cache {
namespace {

using runtime::debug_enabled, runtime::debug_print, runtime::debug_stage;

/// A kernel that is ready, or that one thread is getting while others wait at its mutex.
struct slot {
    std::mutex getting;
    enum class state : uint8_t { unknown, ready, missing };
    std::atomic<state> is{state::unknown};
    device_kernel kernel;

    device_lookup found(source from) const {
        return {is.load(std::memory_order_acquire) == state::ready ? &kernel : nullptr, from};
    }
};

class device_kernels {
public:
    using name = std::tuple<int, codegen::loop_shape, std::vector<uint8_t>>;

    slot& of(const name& key) {
        {
            const std::shared_lock lock(mutex_);
            if (const auto at = slots_.find(key); at != slots_.end()) return *at->second;
        }
        const std::unique_lock lock(mutex_);
        std::unique_ptr<slot>& s = slots_[key];
        if (!s) s = std::make_unique<slot>();
        return *s;
    }

private:
    std::shared_mutex mutex_;
    std::map<name, std::unique_ptr<slot>> slots_;
};

/// Leaked on purpose: kernels are in use until the last thread ends.
device_kernels& known() {
    static auto* k = new device_kernels;
    return *k;
}

const codegen::gpu_compiler& compiler_of(const runtime::gpu& g) {
    return codegen::compiler_of(g.api->vendor->id);
}

byte_view key_of(const std::string& text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// Returns true if code can be compiled for the GPU now, and may be.
bool compiles(const codegen::gpu_compiler& c) {
    return !misses_are_errors() && c.library().why_not_here().empty();
}

/// Code that is wanted, and the text of which it can be compiled.
struct wanted_text {
    byte_view key;
    identity is;
    const std::string& text;
};

/// Passes code to `load`, from disk or compiled now. Returns nothing if it is in no place and
/// cannot be compiled.
template <class F>
std::optional<source> find_or_compile(const runtime::gpu& g, const wanted_text& wanted,
                                      const F& load) {
    if (debug_enabled(debug_stage::codegen, 2)) debug_print(debug_stage::codegen, wanted.text);
    const codegen::gpu_compiler& c = compiler_of(g);
    const std::string& architecture = g.properties.architecture;
    const std::string target = target_name(c, architecture);
    code_places& places = process_places();
    disk_cache& disk = places.disk();
    const std::string exact = disk.config().same_producer ? producer_of(c, architecture) : "";
    std::vector<std::string> lower;
    for (const std::string& other : c.also_runs(architecture))
        lower.push_back(target_name(c, other));
    const bool may_compile = compiles(c);
    const bool loaded = places.find(
        {target, wanted.key, wanted.is, exact}, {lower, !may_compile}, [&](const artefact& a) {
            bytes code;
            try {
                code = plain_image(a);
            } catch (const Error& e) {
                runtime::warn_once("cache.compressed", e.what());
                return false;
            }
            try {
                load({reinterpret_cast<const char*>(code.data()), code.size()});
                return true;
            } catch (const OutOfMemoryError&) {
                throw;
            } catch (const Error& e) {  // a driver may refuse what another one takes
                runtime::warn_once("cache.driver",
                                   "[cache] the driver refused a stored kernel; got " +
                                       std::string(e.what()) +
                                       ", expected code for this driver; try storing it again, by "
                                       "a compiler that is not newer than the driver");
                return false;
            }
        });
    if (loaded) return source::disk;
    if (!may_compile) return std::nullopt;
    const runtime::trace_span span("jit", "compile for a GPU");
    const std::vector<char> code = compile_for(c, c.target(c.library(), architecture), wanted.text);
    load(code);
    disk.store({target,
                wanted.key,
                {reinterpret_cast<const uint8_t*>(code.data()), code.size()},
                0,
                wanted.is,
                producer_of(c, architecture)});
    return source::compiled;
}

}  // namespace

std::vector<char> compile_for(const codegen::gpu_compiler& c, const std::string& architecture,
                              const std::string& text) {
    const codegen::device_code code = codegen::compile(c, text, architecture);
    if (code.refused) throw Error(code.error);
    if (code.bytes.empty())
        runtime::fail("jit", "a kernel for " + architecture + " cannot be compiled", code.error,
                      std::string(c.language.name) + " code that compiles",
                      runtime::text("installing ", c.package, ", or setting ",
                                    runtime::name_of(c.names.variable), " to its path"));
    return code.bytes;
}

std::string target_name(const codegen::gpu_compiler& c, const std::string& architecture) {
    return std::string(c.language.name) + " " + architecture;
}

std::string producer_of(const codegen::gpu_compiler& c, const std::string& architecture) {
    return std::string(c.names.vendor) + " " + c.library().version() + ", " +
           c.options(c.target(c.library(), architecture));
}

void refuse_missing(const runtime::gpu& g, byte_view key, const std::string& line) {
    const codegen::gpu_compiler& c = compiler_of(g);
    const std::string& architecture = g.properties.architecture;
    if (misses_are_errors()) {
        const std::string target = target_name(c, architecture);
        const identity is = identity_of(target, key).value_or(identity());
        refuse_miss(name_of_key(key) + " for " + target,
                    nearest_kernel(process_places(), {target, key, is}), line);
    }
    runtime::fail<no_device_code>(
        "jit", "a kernel for " + architecture + " cannot be compiled", c.library().why_not_here(),
        "a stored kernel, or its compiler",
        runtime::text("installing ", c.package, ", or setting ", runtime::name_of(c.names.variable),
                      " to its path"));
}

device_lookup get_on(const runtime::gpu& g, const kernel_ir::kernel& k,
                     const std::vector<uint8_t>& serialized_kernel,
                     const codegen::loop_shape& shape) {
    slot& s = known().of({g.index, shape, serialized_kernel});
    const auto known_now = [&s] {
        return s.is.load(std::memory_order_acquire) != slot::state::unknown;
    };
    if (known_now()) return s.found(source::memory);
    const std::lock_guard lock(s.getting);
    if (known_now()) return s.found(source::memory);

    const codegen::c_like_subject subject[] = {{&k, shape}};
    const codegen::c_like_program program =
        codegen::print_program(compiler_of(g).language, subject);
    const codegen::c_like_function& function = program.functions.front();
    const bytes stored_as = device_key(serialized_kernel, shape);
    std::vector<std::string> names;
    for (const auto& part : function.parts) names.push_back(part.name);
    if (names.empty()) names.push_back(function.name);
    const std::optional<source> from = find_or_compile(
        g, {stored_as, identity_of_subject(k, shape, function), program.text},
        [&](std::span<const char> code) {
            std::vector<runtime::gpu_kernel> kernels = runtime::load_kernels(g, code, names);
            s.kernel = {kernels.front(), shape, function, {}};
            if (!function.parts.empty()) s.kernel.parts = std::move(kernels);
            if (function.kept > 0)
                runtime::allow_shared(
                    s.kernel.code, g.properties.most_shared - static_cast<int>(function.declared));
        });
    s.is.store(from ? slot::state::ready : slot::state::missing, std::memory_order_release);
    return s.found(from.value_or(source::memory));
}

device_code get_text_on(const runtime::gpu& g, const std::string& text,
                        std::span<const std::string> names) {
    device_code found;
    const std::string whole = codegen::c_prelude(compiler_of(g).language) + text;
    const byte_view key = key_of(whole);
    const std::optional<source> from = find_or_compile(
        g, {key, identity_of_text(), whole},
        [&](std::span<const char> code) { found.kernels = runtime::load_kernels(g, code, names); });
    if (!from) refuse_missing(g, key);
    found.from = *from;
    return found;
}

}  // namespace sinter::code_cache
