// CUDA and its compiler NVRTC.
#include "jit/codegen/c_like/gpu_compiler.hpp"

#include <algorithm>
#include <cstdlib>

namespace sinter::embedded {
extern const char prelude_cuda[];  // prelude/cuda.cuh
}

namespace sinter::codegen {
namespace {

// The toolkit's folder is not on the library search path by default.
constexpr const char* places[] = {
    "libnvrtc.so.13",
    "libnvrtc.so.12",
    "/usr/local/cuda/lib64/libnvrtc.so.13",
    "/usr/local/cuda/lib64/libnvrtc.so.12",
};
std::string driver_release() {
    const runtime::driver* d = runtime::cuda_vendor.driver().it;
    return d ? d->release : "";
}

// NVRTC's functions are thread-safe, and from release 12.3 on most of a compilation runs beside
// others.
constexpr rtc_names library = {.vendor = "NVRTC",
                               .variable = &runtime::settings::nvrtc_library,
                               .places = places,
                               .prefix = "nvrtc",
                               .code = "CUBIN",
                               .virtual_code = "PTX",
                               .driver = driver_release,
                               .threads = true};

std::string options(const std::string& architecture) {
    // Texture and runtime functions, which no kernel uses, take a tenth of a compilation.
    static const bool minimal = std::atoi(opened<library>().version().c_str()) >= 13;
    return "--gpu-architecture=" + architecture +
           " --std=c++17 --fmad=false --ftz=false --prec-div=true --prec-sqrt=true "
           "--disable-warnings" +
           (minimal ? " --minimal" : "");
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

std::vector<std::string> architectures(const rtc_library& nvrtc) {
    std::vector<std::string> names;
    for (int n : numbers_of(nvrtc)) names.push_back("sm_" + std::to_string(n));
    return names;
}

bool knows(const rtc_library& nvrtc, const std::string& architecture) {
    const std::vector<int> known = numbers_of(nvrtc);
    const int wanted = architecture_number(architecture);
    return known.empty() || std::find(known.begin(), known.end(), wanted) != known.end();
}

/// If NVRTC is older than the device, returns the newest virtual architecture before it, whose code
/// the driver compiles.
std::string target(const rtc_library& nvrtc, const std::string& architecture) {
    const int wanted = architecture_number(architecture);
    int newest = -1;
    for (int n : numbers_of(nvrtc)) {
        if (n == wanted) return architecture;
        if (n < wanted) newest = n;
    }
    return newest < 0 ? architecture : "compute_" + std::to_string(newest);
}

/// Code for an older device of the same generation, and PTX for any older one.
std::vector<std::string> also_runs(const std::string& architecture) {
    constexpr int known[] = {121, 120, 110, 103, 101, 100, 90, 89, 88, 87, 86, 80, 75, 72, 70};
    const int own = architecture_number(architecture);
    std::vector<std::string> names;
    for (int n : known)
        if (n < own && n / 10 == own / 10) names.push_back("sm_" + std::to_string(n));
    for (int n : known)
        if (n <= own) names.push_back("compute_" + std::to_string(n));
    return names;
}

}  // namespace

constinit const gpu_compiler cuda_compiler = {
    .language =
        {
            .name = "CUDA",
            .resident = 1024,
            .fma = {"__fmaf_rn", "__fma_rn"},
            .sqrt = {"__fsqrt_rn", "__dsqrt_rn"},
            .floor = {"floorf", "floor"},
            .ceil = {"ceilf", "ceil"},
            .trunc = {"truncf", "trunc"},
            .rint = {"rintf", "rint"},
            .abs = {"fabsf", "fabs"},
            .divide = {"__fdiv_rn", "__ddiv_rn"},
            .prelude = embedded::prelude_cuda,
        },
    .names = library,
    .package = "NVRTC (libnvrtc.so.13)",
    .library = opened<library>,
    .options = options,
    .architectures = architectures,
    .knows = knows,
    .target = target,
    .also_runs = also_runs,
};

}  // namespace sinter::codegen
