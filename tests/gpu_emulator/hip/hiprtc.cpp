// The part of hiprtc that is loaded: its options are clang's.
#include "core/compile/prelude.hpp"
#include "core/compile/rtc.hpp"
#include "core/base/vendor.hpp"
#include "exported.hpp"
#include "hip/release.hpp"

#include <algorithm>
#include <sstream>
#include <string_view>

using namespace gpu_emulator;

namespace {

constexpr const char* architectures[] = {"gfx900",  "gfx906",  "gfx908",  "gfx90a",  "gfx940",
                                         "gfx942",  "gfx950",  "gfx1030", "gfx1100", "gfx1101",
                                         "gfx1102", "gfx1200", "gfx1201"};
constexpr std::string_view isa = "amdgcn-amd-amdhsa--";

/// Accepts names with or without features: "gfx90a:sramecc+:xnack-".
bool is_known(const std::string& name) {
    std::istringstream parts(name);
    std::string part;
    std::getline(parts, part, ':');
    const std::vector<std::string> known = known_architectures(architectures);
    bool right = std::find(known.begin(), known.end(), part) != known.end();
    while (std::getline(parts, part, ':'))
        right = right &&
                (part == "sramecc+" || part == "sramecc-" || part == "xnack+" || part == "xnack-");
    return right;
}

int read(const std::vector<std::string>& options, compile_request& r, std::string& log) {
    r.architecture = vendor.architecture;  // the present device, as in hiprtc
    for (const std::string& o : options) {
        std::string value;
        if (takes(o, "--offload-arch=", value) || takes(o, "--gpu-architecture=", value)) {
            r.architecture = value;
            if (!is_known(value)) {
                log = "error: invalid target ID '" + value + "'\n";
                return rtc_compilation;
            }
        } else if (takes(o, "-std=", value) || takes(o, "--std=", value)) {
            r.standard = value;
        } else if (takes(o, "-ffp-contract=", value)) {
            r.contract = value != "off";
        } else if (takes(o, "-D", value)) {
            r.defines.push_back(value);
        } else if (o == "-w") {
            r.warnings = false;
        } else if (takes(o, "-O", value) || takes(o, "-W", value) || takes(o, "-f", value) ||
                   takes(o, "-m", value) || takes(o, "-g", value)) {
            // Arithmetic here is always IEEE's; the other options change no result.
        } else {
            log = "error: unknown argument: '" + o + "'\n";
            return rtc_compilation;
        }
    }
    r.warp = r.architecture.rfind("gfx9", 0) == 0 ? 64 : 32;  // CDNA and RDNA
    return rtc_success;
}

}  // namespace

EXPORTED int hiprtcVersion(int* major, int* minor) {
    *major = release().major;
    *minor = release().minor;
    return rtc_success;
}
EXPORTED int hiprtcCreateProgram(void** program, const char* text, const char* name, int headers,
                                 const char**, const char**) {
    return rtc_create(program, text, name, headers);
}
EXPORTED int hiprtcCompileProgram(void* program, int count, const char** options) {
    return rtc_compile(program, hip_prelude, read, count, options);
}
EXPORTED int hiprtcDestroyProgram(void** program) { return rtc_destroy(program); }
EXPORTED int hiprtcGetProgramLogSize(void* program, std::size_t* size) {
    return rtc_log_size(program, size);
}
EXPORTED int hiprtcGetProgramLog(void* program, char* log) { return rtc_log(program, log); }
EXPORTED int hiprtcGetCodeSize(void* program, std::size_t* size) {
    return rtc_code_size(program, size);
}
EXPORTED int hiprtcGetCode(void* program, char* code) { return rtc_code(program, code); }

// The code object manager: the part that reports which architectures the compiler knows.
EXPORTED int amd_comgr_get_isa_count(std::size_t* count) {
    *count = known_architectures(architectures).size();
    return 0;
}
EXPORTED int amd_comgr_get_isa_name(std::size_t at, const char** name) {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (const std::string& each : known_architectures(architectures))
            all.push_back(std::string(isa) + each);
        return all;
    }();
    if (at >= names.size()) return 2;
    *name = names[at].c_str();
    return 0;
}
EXPORTED int amd_comgr_create_action_info(uint64_t* info) {
    *info = 1;
    return 0;
}
EXPORTED int amd_comgr_action_info_set_isa_name(uint64_t info, const char* name) {
    const std::string text = name ? name : "";
    const bool right = info == 1 && text.rfind(isa, 0) == 0 && is_known(text.substr(isa.size()));
    return right ? 0 : 2;
}
EXPORTED int amd_comgr_destroy_action_info(uint64_t info) { return info == 1 ? 0 : 2; }
