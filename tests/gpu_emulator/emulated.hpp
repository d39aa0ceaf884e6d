// The emulated drivers for tests: opened by the library's loaders, from the paths that the build
// names, with two devices of little memory each.
#pragma once

#include "jit/codegen/c_like/compiler.hpp"
#include "runtime/device/driver.hpp"

#include <doctest/doctest.h>

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace sinter::testing {

using runtime::driver;

inline constexpr int devices = 2;
inline constexpr std::size_t device_megabytes = 256;

/// A vendor's driver, run-time compiler and the emulator's controls.
class emulated_gpu {
public:
    emulated_gpu(const runtime::gpu_vendor& which, const char* path,
                 const codegen::rtc_names& names)
        : which_(which), compiler_(names) {
        const runtime::found_driver& found = which_.driver();
        why_not_ = found.why_not + compiler_.why_not();
        driver_ = found.it;
        void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        const auto find = [&](auto& function, const char* name) {
            function =
                reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
        };
        find(fail_, "sinter_emulator_fail");
        find(counts_, "sinter_emulator_counts");
        find(finding_, "sinter_emulator_finding");
        find(forgive_, "sinter_emulator_forgive");
    }

    bool is_cuda() const { return which_.id == Vendor::nvidia; }
    const std::string& why_not() const { return why_not_; }
    const driver& d() const { return *driver_; }
    // By the environment: an RTX 3090 or RX 7900 XTX in the place of an H100 or MI210.
    bool other() const {
        return is_set(is_cuda() ? "SINTER_EMULATOR_SMALL" : "SINTER_EMULATOR_WAVE");
    }
    const char* architecture() const {
        if (is_cuda()) return other() ? "sm_86" : "sm_90";
        return other() ? "gfx1100" : "gfx90a";
    }
    unsigned warp() const { return is_cuda() || other() ? 32 : 64; }

    // ---- the emulator's controls

    int fail(const char* what, int nth) const { return fail_(what, nth); }
    unsigned long long counts(const char* what) const { return counts_(what); }
    std::string finding() const { return finding_(); }
    void forgive() const { forgive_(); }

    // ---- compiling

    codegen::device_code compile(const std::string& text, const std::string& options = "") {
        return compiler_.compile(text, (is_cuda() ? "--fmad=false " : "-ffp-contract=off ") +
                                           for_architecture(architecture()) + " " + options);
    }
    std::string for_architecture(const std::string& name) const {
        return (is_cuda() ? "--gpu-architecture=" : "--offload-arch=") + name;
    }
    codegen::rtc_library& compiler() { return compiler_; }

private:
    static bool is_set(const char* name) { return std::getenv(name) != nullptr; }

    const runtime::gpu_vendor& which_;
    codegen::rtc_library compiler_;
    const driver* driver_ = nullptr;
    std::string why_not_;
    int (*fail_)(const char*, int) = nullptr;
    unsigned long long (*counts_)(const char*) = nullptr;
    const char* (*finding_)() = nullptr;
    void (*forgive_)() = nullptr;
};

struct emulated_cuda {
    static emulated_gpu& gpu();
};
struct emulated_hip {
    static emulated_gpu& gpu();
};

}  // namespace sinter::testing

TYPE_TO_STRING(sinter::testing::emulated_cuda);
TYPE_TO_STRING(sinter::testing::emulated_hip);

namespace sinter::testing {

/// Runs its body for both vendors, as `gpu`, with a current device and no errors.
#define GPU_TEST_CASE(name) TEST_CASE_TEMPLATE(name, V, emulated_cuda, emulated_hip)

/// Makes a device current on this thread, and clears the test's errors at the end.
class device_scope {
public:
    explicit device_scope(emulated_gpu& g, int device = 0) : g_(g) {
        REQUIRE(g.why_not() == "");
        REQUIRE(g.d().enter(device, &before_) == 0);
    }
    ~device_scope() {
        g_.forgive();
        g_.d().leave(before_);
    }
    device_scope(const device_scope&) = delete;
    device_scope& operator=(const device_scope&) = delete;

private:
    emulated_gpu& g_;
    void* before_ = nullptr;
};

/// Values in device memory.
template <class T>
class device_array {
public:
    device_array(emulated_gpu& g, std::size_t n) : g_(g), n_(n) {
        REQUIRE(g.d().allocate(&memory_, n * sizeof(T)) == 0);
    }
    device_array(emulated_gpu& g, const std::vector<T>& values) : device_array(g, values.size()) {
        REQUIRE(g.d().copy(memory_, values.data(), n_ * sizeof(T), nullptr) == 0);
        REQUIRE(g.d().finish_stream(nullptr) == 0);  // other streams may not wait for this one
    }
    ~device_array() {
        g_.forgive();
        g_.d().deallocate(memory_);
    }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;

    T* get() const { return static_cast<T*>(memory_); }
    std::vector<T> values() const {
        std::vector<T> v(n_);
        REQUIRE(g_.d().copy(v.data(), memory_, n_ * sizeof(T), nullptr) == 0);
        REQUIRE(g_.d().finish_stream(nullptr) == 0);
        return v;
    }

private:
    emulated_gpu& g_;
    void* memory_ = nullptr;
    std::size_t n_;
};

/// A module of one text.
class kernels {
public:
    kernels(emulated_gpu& g, const std::string& text, const std::string& options = "") : g_(g) {
        const codegen::device_code code = g.compile(text, options);
        REQUIRE(code.error == "");
        REQUIRE(g.d().load_module(&module_, code.bytes.data()) == 0);
    }
    ~kernels() {
        g_.forgive();
        g_.d().unload_module(module_);
    }
    kernels(const kernels&) = delete;
    kernels& operator=(const kernels&) = delete;

    void* function(const char* name) const {
        void* f = nullptr;
        REQUIRE(g_.d().find_function(&f, module_, name) == 0);
        return f;
    }

    /// Submits on `stream`.
    template <class... A>
    int start(void* stream, const char* name, unsigned blocks, unsigned threads, A... a) const {
        void* parameters[] = {static_cast<void*>(&a)..., nullptr};
        return g_.d().launch(function(name), blocks, 1, 1, threads, 1, 1, 0, stream, parameters,
                             nullptr);
    }
    /// Runs the kernel to its end and returns its code.
    template <class... A>
    int run(const char* name, unsigned blocks, unsigned threads, A... a) const {
        const int failed = start(nullptr, name, blocks, threads, a...);
        return failed ? failed : g_.d().finish_device();
    }

private:
    emulated_gpu& g_;
    void* module_ = nullptr;
};

inline bool contains(const std::string& text, const std::string& part) {
    if (text.find(part) != std::string::npos) return true;
    MESSAGE("\"" << text << "\" lacks \"" << part << "\"");
    return false;
}

}  // namespace sinter::testing
