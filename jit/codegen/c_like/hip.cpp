// HIP and its compiler hiprtc.
#include "jit/codegen/c_like/gpu_compiler.hpp"

#include <dlfcn.h>

#include <cstdint>

namespace sinter::embedded {
extern const char prelude_hip[];  // prelude/hip.cuh
}

namespace sinter::codegen {
namespace {

// Older releases have hiprtc inside the HIP runtime.
constexpr const char* places[] = {
    "libhiprtc.so.7",
    "libhiprtc.so.6",
    "libhiprtc.so.5",
    "libamdhip64.so.5",
    "/opt/rocm/lib/libhiprtc.so",
};
constexpr rtc_names library = {.vendor = "hiprtc",
                               .variable = &runtime::settings::hiprtc_library,
                               .places = places,
                               .prefix = "hiprtc",
                               .code = "Code"};

std::string options(const std::string& architecture) {
    return "--offload-arch=" + architecture +
           " -std=c++17 -ffp-contract=off -fno-strict-aliasing "
           "-fhip-fp32-correctly-rounded-divide-sqrt -fno-gpu-flush-denormals-to-zero -w";
}

/// The library that hiprtc uses, which can list and check architectures.
struct code_object_manager {
    int (*count)(std::size_t*) = nullptr;
    int (*name)(std::size_t, const char**) = nullptr;
    int (*make)(uint64_t*) = nullptr;
    int (*set)(uint64_t, const char*) = nullptr;
    int (*destroy)(uint64_t) = nullptr;

    template <class Find>
    bool fill(Find&& find) {
        return find("amd_comgr_get_isa_count", count) && find("amd_comgr_get_isa_name", name) &&
               find("amd_comgr_create_action_info", make) &&
               find("amd_comgr_action_info_set_isa_name", set) &&
               find("amd_comgr_destroy_action_info", destroy);
    }
};

/// Opens the code object manager that hiprtc has opened or will open. Tries what it is linked with,
/// what is loaded, what lies beside it, and what the system has. It stays open, as hiprtc's copy
/// does.
bool open(const rtc_library& hiprtc, code_object_manager& m) {
    if (!hiprtc.why_not().empty()) return false;
    if (m.fill([&](const char* name, auto& f) { return hiprtc.find(name, f); })) return true;
    std::string folder;
    void* entry = nullptr;
    Dl_info place{};
    if (hiprtc.find("hiprtcVersion", entry) && dladdr(entry, &place) && place.dli_fname)
        folder = place.dli_fname;
    folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/') + 1);
    const char* const names[] = {"libamd_comgr.so.3", "libamd_comgr.so.2"};
    // ROCm 6.4 changed from version 2 to version 3; hiprtc's version does not say which one it
    // uses.
    const bool old = hiprtc.path().find(".so.5") != std::string::npos;
    void* found = nullptr;
    const auto look = [&](const std::string& in, int flags) {
        for (int i = 0; i < 2 && !found; ++i)
            found = dlopen((in + names[old ? 1 - i : i]).c_str(), RTLD_NOW | RTLD_LOCAL | flags);
    };
    look("", RTLD_NOLOAD);
    if (!folder.empty()) look(folder, 0);
    look("", 0);
    return found && m.fill([&](const char* name, auto& f) {
        f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(dlsym(found, name));
        return f != nullptr;
    });
}

constexpr const char* isa = "amdgcn-amd-amdhsa--";

std::vector<std::string> architectures(const rtc_library& hiprtc) {
    std::vector<std::string> names;
    code_object_manager m;
    std::size_t count = 0;
    if (!open(hiprtc, m) || m.count(&count) != 0) return names;
    for (std::size_t i = 0; i < count; ++i) {
        const char* name = nullptr;
        const std::string start = isa;
        if (m.name(i, &name) == 0 && name && std::string(name).rfind(start, 0) == 0)
            names.push_back(name + start.size());
    }
    return names;
}

bool knows(const rtc_library& hiprtc, const std::string& architecture) {
    code_object_manager m;
    uint64_t info = 0;
    if (!open(hiprtc, m) || m.make(&info) != 0) {
        const std::string name = architecture.substr(0, architecture.find(':'));
        for (const char* each : {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030"})
            if (name == each) return true;
        return false;
    }
    const bool known = !architecture.empty() && m.set(info, (isa + architecture).c_str()) == 0;
    m.destroy(info);
    return known;
}

}  // namespace

constinit const gpu_compiler hip_compiler = {
    .language =
        {
            .name = "HIP",
            // The bare instructions are off by one ulp. The device library's root of a double is
            // correctly rounded, and so is the root of a float that is computed in double and
            // rounded again.
            .sqrt = {"sqrt_f32", "__ocml_sqrt_f64"},
            .prelude = embedded::prelude_hip,
        },
    .names = library,
    .package = "hiprtc",
    .library = opened<library>,
    .options = options,
    .architectures = architectures,
    .knows = knows,
    .target = [](const rtc_library&, const std::string& architecture) { return architecture; },
    // Code without features ("gfx90a", not "gfx90a:xnack-") runs with any setting of them.
    .also_runs = [](const std::string&) { return std::vector<std::string>(); },
};

}  // namespace sinter::codegen
