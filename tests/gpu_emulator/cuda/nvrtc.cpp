// The part of NVRTC that is loaded.
#include "core/compile/prelude.hpp"
#include "core/compile/rtc.hpp"
#include "exported.hpp"

#include <cstdlib>
#include <string>
#include <string_view>

#include <dlfcn.h>

using namespace gpu_emulator;

namespace {

constexpr const char* architectures[] = {"sm_75", "sm_80",  "sm_86",  "sm_87",  "sm_88",  "sm_89",
                                         "sm_90", "sm_100", "sm_103", "sm_110", "sm_120", "sm_121"};

/// Real architectures, virtual ones, and variants of the newer ones.
bool is_known(const std::string& name) {
    for (const std::string& each : known_architectures(architectures)) {
        const std::string number = each.substr(3);
        if (name == each || name == "compute_" + number) return true;
        if (std::stoi(number) >= 90 && name == each + "a") return true;
        if (std::stoi(number) >= 100 && name == each + "f") return true;
    }
    return false;
}

/// That of the file's name, as "libnvrtc.so.12": tests plant several.
int release() {
    static const int number = [] {
        Dl_info file{};
        constexpr std::string_view usual = "libnvrtc.so.";
        const std::string name = dladdr(reinterpret_cast<void*>(&is_known), &file) && file.dli_fname
                                     ? file.dli_fname
                                     : "";
        const std::size_t at = name.rfind(usual);
        return at == std::string::npos ? 13000 : 1000 * std::atoi(name.c_str() + at + usual.size());
    }();
    return number;
}

bool is_virtual(const std::string& name) { return name.rfind("compute_", 0) == 0; }

bool is_false(const std::string& value) { return value == "false"; }

int read(const std::vector<std::string>& options, compile_request& r, std::string& log) {
    r.warp = 32;
    r.release = static_cast<uint64_t>(release());
    r.most_parameters = release() < 12010 ? 4096 : 32764;
    r.architecture = "sm_75";  // the oldest, as in NVRTC
    for (const std::string& o : options) {
        std::string value;
        if (takes(o, "--gpu-architecture=", value) || takes(o, "-arch=", value)) {
            r.architecture = value;
            if (!is_known(value)) {
                log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
                return rtc_invalid_option;
            }
        } else if (takes(o, "--std=", value) || takes(o, "-std=", value)) {
            r.standard = value;
        } else if (takes(o, "--fmad=", value) || takes(o, "-fmad=", value)) {
            r.contract = !is_false(value);
        } else if (takes(o, "--define-macro=", value) || takes(o, "-D", value)) {
            r.defines.push_back(value);
        } else if (o == "--disable-warnings" || o == "-w") {
            r.warnings = false;
        } else if (takes(o, "--ftz=", value) || takes(o, "--prec-div=", value) ||
                   takes(o, "--prec-sqrt=", value) || takes(o, "-ftz=", value) ||
                   takes(o, "-prec-div=", value) || takes(o, "-prec-sqrt=", value) ||
                   takes(o, "--maxrregcount=", value) || takes(o, "--diag-suppress=", value) ||
                   o == "--generate-line-info" || o == "-lineinfo" || o == "-default-device" ||
                   o == "--restrict" || o == "--minimal" || o == "--extra-device-vectorization") {
            // Arithmetic here is always IEEE's; the other options change no result.
        } else {
            log = "nvrtc: error: unrecognized option " + o + " found\n";
            return rtc_invalid_option;
        }
    }
    return rtc_success;
}

}  // namespace

EXPORTED int nvrtcVersion(int* major, int* minor) {
    *major = release() / 1000;
    *minor = release() % 1000 / 10;
    return rtc_success;
}
EXPORTED int nvrtcCreateProgram(void** program, const char* text, const char* name, int headers,
                                const char* const*, const char* const*) {
    return rtc_create(program, text, name, headers);
}
EXPORTED int nvrtcCompileProgram(void* program, int count, const char* const* options) {
    return rtc_compile(program, cuda_prelude, read, count, options);
}
EXPORTED int nvrtcDestroyProgram(void** program) { return rtc_destroy(program); }
EXPORTED int nvrtcGetProgramLogSize(void* program, std::size_t* size) {
    return rtc_log_size(program, size);
}
EXPORTED int nvrtcGetProgramLog(void* program, char* log) { return rtc_log(program, log); }
// Code for a virtual architecture is PTX, not a cubin.
EXPORTED int nvrtcGetCUBINSize(void* program, std::size_t* size) {
    const int failed = rtc_code_size(program, size);
    if (!failed && is_virtual(rtc_architecture(program))) *size = 0;
    return failed;
}
EXPORTED int nvrtcGetCUBIN(void* program, char* code) {
    return is_virtual(rtc_architecture(program)) ? rtc_invalid_input : rtc_code(program, code);
}
EXPORTED int nvrtcGetPTXSize(void* program, std::size_t* size) {
    return rtc_code_size(program, size);
}
EXPORTED int nvrtcGetPTX(void* program, char* code) { return rtc_code(program, code); }
EXPORTED int nvrtcGetNumSupportedArchs(int* count) {
    *count = static_cast<int>(known_architectures(architectures).size());
    return rtc_success;
}
EXPORTED int nvrtcGetSupportedArchs(int* numbers) {
    for (const std::string& each : known_architectures(architectures))
        *numbers++ = std::stoi(each.substr(3));
    return rtc_success;
}
