#include "ops/cache/build/targets.hpp"

#include "jit/cache/device_kernels.hpp"
#include "jit/cache/device_key.hpp"
#include "jit/cache/identity.hpp"
#include "jit/cache/target.hpp"
#include "ops/cache/build/profiles.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

namespace sinter::cache_command {
namespace {

using code_cache::byte_view, code_cache::compile_reply;

constexpr codegen::target levels[] = {codegen::target::x86_64_v3, codegen::target::x86_64_v4,
                                      codegen::target::aarch64};

[[noreturn]] void refuse(const std::string& name) {
    runtime::fail("cache", "there is no code generator for a target", name,
                  "x86-64-v3, x86-64-v4, aarch64, a GPU's architecture (sm_90, gfx90a), one with a "
                  "device (sm_90@h200), or PTX (ptx:90)",
                  "--targets x86-64-v3,x86-64-v4");
}

/// Takes "sm_90@h200" apart.
std::string cut(std::string& name, char at) {
    const std::size_t place = name.find(at);
    if (place == std::string::npos) return {};
    std::string rest = name.substr(place + 1);
    name.resize(place);
    return rest;
}

compile_reply compile_for_gpu(const build_target& to, byte_view key) {
    compile_reply reply;
    try {
        const std::vector<char> code = code_cache::compile_for(
            *to.compiler, to.architecture, code_cache::source_of(*to.compiler, key));
        reply.image.assign(code.begin(), code.end());
    } catch (const Error& e) {
        reply.error = e.what();
    }
    return reply;
}

}  // namespace

std::string build_target::producer() const {
    if (!is_gpu()) return std::string(code_cache::cpu_producer());
    return code_cache::producer_of(*compiler, architecture);
}

void build_target::require_compiler() const {
    std::string why;
    if (!is_gpu()) {
        if (code_cache::open_plugin_for(level, &why)) return;
        runtime::fail("cache", "there is no compiler", why, "the plugin",
                      "installing it beside the library, or other --targets");
    }
    const codegen::rtc_library& library = compiler->library();
    if (library.why_not().empty()) {
        if (compiler->knows(library, architecture)) return;
        throw Error(
            codegen::unknown_architecture(library, architecture, compiler->architectures(library)));
    }
    runtime::fail("cache", "there is no compiler", library.why_not(), compiler->package,
                  "installing it, or other --targets");
}

std::vector<compile_reply> build_target::compile(const std::vector<byte_view>& keys) const {
    if (!is_gpu()) return code_cache::compile_kernels(level, codegen::mode_exact, keys);
    std::vector<compile_reply> replies;
    for (const byte_view key : keys) replies.push_back(compile_for_gpu(*this, key));
    return replies;
}

build_target target_of(const std::string& name) {
    build_target t;
    t.name = name;
    for (const codegen::target level : levels)
        if (name == code_cache::name_of(level)) {
            t.stored = name;
            t.level = level;
            return t;
        }
    std::string architecture = name;
    const std::string profile = cut(architecture, '@');
    for (const codegen::gpu_compiler* c : codegen::gpu_compilers)
        if (const std::string vendor = std::string(c->language.name) + " ";
            architecture.starts_with(vendor))
            architecture.erase(0, vendor.size());
    if (architecture.starts_with("ptx:")) architecture.replace(0, 4, "compute_");
    std::string device = architecture;
    if (architecture.starts_with("compute_")) device.replace(0, 8, "sm_");
    if (device.starts_with("sm_") && codegen::architecture_number(device) > 0)
        t.compiler = &codegen::cuda_compiler;
    else if (device.starts_with("gfx") && device.size() >= 6 &&
             device.find(':') == std::string::npos)
        t.compiler = &codegen::hip_compiler;
    else
        refuse(name);
    t.architecture = architecture;
    t.stored = code_cache::target_name(*t.compiler, architecture);
    t.gpu = gpu_of_profile(profile, device);
    return t;
}

}  // namespace sinter::cache_command
