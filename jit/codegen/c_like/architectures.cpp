#include "jit/codegen/c_like/architectures.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace sinter::codegen {
namespace {

// ---- NVIDIA: architectures are numbers

/// Returns the number in "sm_90", "sm_90a" or "compute_90"; -1 if there is none.
int number_of(const std::string& architecture) {
    const std::size_t at = architecture.find('_');
    int number = -1;
    if (at == std::string::npos) return -1;
    const char* const end = architecture.data() + architecture.size();
    const auto read = std::from_chars(architecture.data() + at + 1, end, number);
    const std::string suffix(read.ptr, end);
    return read.ec == std::errc() && (suffix.empty() || suffix == "a" || suffix == "f") ? number
                                                                                        : -1;
}

std::vector<int> numbers_of(const rtc_library& nvrtc) {
    int (*count_of)(int*) = nullptr;
    int (*list)(int*) = nullptr;
    int count = 0;
    if (!nvrtc.find("nvrtcGetNumSupportedArchs", count_of) ||
        !nvrtc.find("nvrtcGetSupportedArchs", list) || count_of(&count) != 0 || count <= 0)
        return {};
    std::vector<int> numbers(static_cast<std::size_t>(count));
    if (list(numbers.data()) != 0) return {};
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

// ---- AMD: architectures are names, which the code object manager that hiprtc uses can list and
// check

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
    void* library = nullptr;
    const auto look = [&](const std::string& in, int flags) {
        for (int i = 0; i < 2 && !library; ++i)
            library = dlopen((in + names[old ? 1 - i : i]).c_str(), RTLD_NOW | RTLD_LOCAL | flags);
    };
    look("", RTLD_NOLOAD);
    if (!folder.empty()) look(folder, 0);
    look("", 0);
    return library && m.fill([&](const char* name, auto& f) {
        f = reinterpret_cast<std::remove_reference_t<decltype(f)>>(dlsym(library, name));
        return f != nullptr;
    });
}

constexpr const char* isa = "amdgcn-amd-amdhsa--";

}  // namespace

std::vector<std::string> cuda_architectures(const rtc_library& nvrtc) {
    std::vector<std::string> names;
    for (int n : numbers_of(nvrtc)) names.push_back("sm_" + std::to_string(n));
    return names;
}

bool cuda_knows(const rtc_library& nvrtc, const std::string& architecture) {
    const std::vector<int> known = numbers_of(nvrtc);
    const int wanted = number_of(architecture);
    return known.empty() || std::find(known.begin(), known.end(), wanted) != known.end();
}

std::string cuda_target(const rtc_library& nvrtc, const std::string& architecture) {
    const int wanted = number_of(architecture);
    int newest = -1;
    for (int n : numbers_of(nvrtc)) {
        if (n == wanted) return architecture;
        if (n < wanted) newest = n;
    }
    return newest < 0 ? architecture : "compute_" + std::to_string(newest);
}

std::vector<std::string> hip_architectures(const rtc_library& hiprtc) {
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

bool hip_knows(const rtc_library& hiprtc, const std::string& architecture) {
    code_object_manager m;
    uint64_t info = 0;
    if (!open(hiprtc, m) || m.make(&info) != 0) {
        const std::string name = architecture.substr(0, architecture.find(':'));
        for (const char* each : {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx1030"})
            if (name == each) return true;
        return false;
    }
    const bool knows = !architecture.empty() && m.set(info, (isa + architecture).c_str()) == 0;
    m.destroy(info);
    return knows;
}

std::string unknown_architecture(const rtc_library& compiler, const std::string& architecture,
                                 const std::vector<std::string>& known) {
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
    const int wanted = number_of(architecture);
    const bool older = wanted >= 0 && !known.empty() && wanted < number_of(known.front());
    const std::string what = compiler.name() + " " + compiler.version();
    return "[jit] " + what + " does not compile for this architecture; got " + architecture +
           ", expected " + (list.empty() ? "one that it is known to take" : "one of " + list) +
           "; try " + (older ? "an older " : "a newer ") + compiler.name();
}

}  // namespace sinter::codegen
