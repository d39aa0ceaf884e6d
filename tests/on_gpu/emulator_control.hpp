// Test controls of the emulated drivers besides the vendors' functions: tests/gpu_emulator.
#pragma once

#include "tests/on_gpu/gpu_case.hpp"

#include <dlfcn.h>

namespace sinter::testing {

inline bool is_emulated() {
    return runtime::gpu_at(0).api->library.find("sinter_emulated") != std::string::npos;
}
/// Returns false, with a message, if the driver is a real one.
inline bool has_emulator() {
    if (!has_gpu()) return false;
    if (is_emulated()) return true;
    MESSAGE("[SKIP] no emulated driver, which fails when it is told to");
    return false;
}

template <class F>
F* emulator_function(const char* name) {
    void* library = dlopen(runtime::gpu_at(0).api->library.c_str(), RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(library != nullptr);
    auto* f = reinterpret_cast<F*>(dlsym(library, name));
    dlclose(library);  // it was already open
    REQUIRE((f != nullptr));
    return f;
}

/// Makes the `nth` event from now fail.
inline void make_fail(const char* what, int nth) {
    REQUIRE(emulator_function<int(const char*, int)>("sinter_emulator_fail")(what, nth) == 0);
}
inline unsigned long long counts(const char* what) {
    return emulator_function<unsigned long long(const char*)>("sinter_emulator_counts")(what);
}
/// Returns the first finding; empty if there is none.
inline std::string finding() {
    return emulator_function<const char*()>("sinter_emulator_finding")();
}
inline void forgive() { emulator_function<void()>("sinter_emulator_forgive")(); }

}  // namespace sinter::testing
