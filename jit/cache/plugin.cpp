#include "jit/cache/plugin.hpp"

#include "runtime/base/fail.hpp"
#include "runtime/base/fork.hpp"
#include "runtime/threads/background.hpp"

#include <sinter/error.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

namespace sinter::code_cache {
namespace {

constexpr const char* native_name = "sinter_llvm.so";
constexpr const char* cross_name = "sinter_llvm_cross.so";

struct plugin {
    int (*compile)(const uint8_t*, std::size_t, uint8_t**, std::size_t*) = nullptr;
    void (*release)(uint8_t*) = nullptr;
    std::string why_not;
};

/// Returns the folder of a file with links resolved; empty if the file does not exist.
std::string folder_of(const char* path) {
    char real[PATH_MAX];
    if (!realpath(path, real)) return {};
    std::string folder = real;
    return folder.substr(0, folder.rfind('/') + 1);
}

[[maybe_unused]] std::string find_plugin(const char* name) {
    for (const std::string& folder : own_folders()) {
        std::string path = folder + name;
        if (access(path.c_str(), R_OK) == 0) return path;
    }
    return {};
}

/// Returns the plugin's path; if there is none, returns an empty string and sets `why_not`.
std::string plugin_path([[maybe_unused]] const char* name, std::string& why_not) {
#if defined(SINTER_HAVE_LLVM) && !SINTER_HAVE_LLVM
    why_not = "this build has no compiler (SINTER_LLVM=OFF)";
    return {};
#else
    std::string path = find_plugin(name);
    if (path.empty()) why_not = std::string(name) + " is not beside the library";
    return path;
#endif
}

plugin load(const char* name) {
    plugin p;
    const std::string path = plugin_path(name, p.why_not);
    if (path.empty()) return p;
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!handle) {
        const char* text = dlerror();
        p.why_not = text ? text : "dlopen failed";
        return p;
    }
    runtime::end_background_before_now();
    auto build_id = reinterpret_cast<const char* (*)()>(dlsym(handle, "sinter_llvm_build_id"));
    if (!build_id || std::strcmp(build_id(), build_identity()) != 0) {
        p.why_not = path + " is from another build";
        return p;
    }
    p.compile = reinterpret_cast<decltype(p.compile)>(dlsym(handle, "sinter_llvm_compile"));
    p.release = reinterpret_cast<decltype(p.release)>(dlsym(handle, "sinter_llvm_free"));
    if (!p.compile || !p.release) p.why_not = path + " lacks a function of the plugin";
    return p;
}

/// A failed open is retried at the next call: the process may have been out of file descriptors.
const plugin& made(std::atomic<const plugin*>& at, const char* name) {
    return runtime::made_once(at, [name] {
        plugin p = load(name);
        if (!p.why_not.empty()) throw Error(p.why_not);
        return new plugin(std::move(p));
    });
}

const plugin& plugin_for(codegen::target level) {
    static constinit std::atomic<const plugin*> native{nullptr}, cross{nullptr};
    return level == codegen::target::aarch64 ? made(cross, cross_name) : made(native, native_name);
}

[[noreturn]] void broken(const std::string& what) {
    runtime::bug("jit", "the compiler's response is malformed: " + what);
}

std::vector<compile_reply> parse(const uint8_t* data, std::size_t size, std::size_t expected) {
    codegen::response_header head;
    std::size_t at = 0;
    if (!codegen::take(data, size, at, head) || head.magic != codegen::response_magic ||
        head.version != codegen::protocol_version || head.count != expected)
        broken("its header is wrong");
    std::vector<compile_reply> replies;
    for (std::size_t n = 0; n < expected; ++n) {
        codegen::reply_header reply;
        if (!codegen::take(data, size, at, reply) || size - at < reply.size)
            broken("it ends early");
        compile_reply r;
        if (reply.ok) {
            r.image.assign(data + at, data + at + reply.size);
            r.entry = reply.entry;
        } else {
            r.error.assign(reinterpret_cast<const char*>(data + at), reply.size);
        }
        at += reply.size;
        replies.push_back(std::move(r));
    }
    return replies;
}

}  // namespace

std::vector<std::string> own_folders() {
    // dladdr may return only a relative name in a program that links the library statically.
    Dl_info self{};
    std::vector<std::string> folders;
    if (dladdr(reinterpret_cast<void*>(&open_plugin), &self) && self.dli_fname)
        folders.push_back(folder_of(self.dli_fname));
    if (const std::string program = folder_of("/proc/self/exe");
        folders.empty() || folders[0] != program)
        folders.push_back(program);
    std::erase(folders, "");
    return folders;
}

bool plugin_present(std::string* why_not) {
    std::string why;
    const bool present = !plugin_path(native_name, why).empty();
    if (why_not) *why_not = why;
    return present;
}

bool open_plugin(std::string* why_not) {
    return open_plugin_for(codegen::target::x86_64_v3, why_not);
}

bool open_plugin_for(codegen::target level, std::string* why_not) {
    std::string why;
    try {
        plugin_for(level);
    } catch (const Error& e) {
        why = e.what();
    }
    if (why_not) *why_not = why;
    return why.empty();
}

std::vector<compile_reply> compile_kernels(codegen::target level, uint32_t mode,
                                           const std::vector<byte_view>& kernels) {
    std::string why;
    if (!open_plugin_for(level, &why))
        runtime::fail(
            "jit", "there is no compiler for a kernel that is in no cache", why,
            "the sinter_llvm plugin",
            "installing the plugin, storing the kernel beforehand (docs/offline_kernels.md), or "
            "SINTER_JIT=off");
    const plugin& p = plugin_for(level);
    bytes request;
    codegen::append(
        request, codegen::request_header{
                     .level = level, .mode = mode, .count = static_cast<uint32_t>(kernels.size())});
    for (byte_view k : kernels) {
        codegen::append(request, static_cast<uint64_t>(k.size()));
        request.insert(request.end(), k.begin(), k.end());
    }
    uint8_t* out = nullptr;
    std::size_t size = 0;
    int failed = p.compile(request.data(), request.size(), &out, &size);
    std::unique_ptr<uint8_t, void (*)(uint8_t*)> owner(out, p.release);
    if (failed)
        runtime::bug("jit", "the compiler refused a request: " +
                                std::string(reinterpret_cast<const char*>(out), size));
    return parse(out, size, kernels.size());
}

}  // namespace sinter::code_cache
