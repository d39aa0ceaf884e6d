#include "kernels/linalg/blas_core.hpp"

#include "runtime/base/device.hpp"
#include "runtime/base/environment.hpp"

#include <dlfcn.h>
#include <strings.h>

#include <algorithm>
#include <utility>

namespace sinter::blas {
namespace {

constexpr const char* variable = "OPENBLAS_CORETYPE";

bool is_loaded(const char* name) {
    void* handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) dlclose(handle);
    return handle != nullptr;
}

}  // namespace

vectors cpu_vectors() {
    if (runtime::cpu_has_v4()) return vectors::avx512;
    return runtime::cpu_has_v3() ? vectors::avx2 : vectors::older;
}

const char* better_core(const std::string& core, vectors has) {
    constexpr const char* before_avx2[] = {
        "Katmai",     "Coppermine",  "Northwood",    "Prescott", "Banias",      "Atom",
        "Core2",      "Penryn",      "Dunnington",   "Nehalem",  "Athlon",      "Opteron",
        "Bobcat",     "Barcelona",   "Opteron_SSE3", "Nano",     "Sandybridge", "Bulldozer",
        "Piledriver", "Steamroller", "Generic"};
    const auto same = [&core](const char* name) { return strcasecmp(core.c_str(), name) == 0; };
    const bool old = std::any_of(std::begin(before_avx2), std::end(before_avx2), same);
    if (!old || has == vectors::older) return nullptr;
    return has == vectors::avx512 ? "SkylakeX" : "Haswell";
}

std::string core_of(void* handle) {
    const auto get = reinterpret_cast<const char* (*)()>(dlsym(handle, "openblas_get_corename"));
    const char* core = get ? get() : nullptr;
    return core ? core : "";
}

opened_blas open_for_best_core(const char* name, const std::function<void*()>& open, vectors has) {
    void* handle = open();
    if (!handle || runtime::is_set(variable)) return {handle, {}};
    std::string core = core_of(handle);
    const char* better = better_core(core, has);
    if (!better) return {handle, {}};
    // The OpenMP runtime stays: its thread-local memory is not always there a second time.
    void* openmp = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
    dlclose(handle);
    if (is_loaded(name)) {
        handle = open();
        core.clear();
    } else {
        runtime::with_variable(variable, better, [&] { handle = open(); });
    }
    if (openmp) dlclose(openmp);
    return {handle, std::move(core)};
}

}  // namespace sinter::blas
