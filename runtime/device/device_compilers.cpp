#include "runtime/device/device_compilers.hpp"

#include "runtime/device/driver_library.hpp"

namespace sinter::runtime {
namespace {

device_report find_compiler(driver_library lib, const char* version_function) {
    int (*version)(int* major, int* minor) = nullptr;
    if (!lib || !lib.find(version_function, version)) return {false, "", lib.error()};
    int major = 0, minor = 0;
    if (int r = version(&major, &minor); r != 0)
        return {false, "", version_function + (" failed with error " + std::to_string(r))};
    return {true, "version " + std::to_string(major) + "." + std::to_string(minor), ""};
}

}  // namespace

device_report find_nvrtc() {
    return find_compiler(
        driver_library{"SINTER_NVRTC_LIBRARY", {"libnvrtc.so.13", "libnvrtc.so.12"}},
        "nvrtcVersion");
}

// Up to ROCm 5 it is part of the runtime's library as Debian builds it.
device_report find_hiprtc() {
    return find_compiler(driver_library{"SINTER_HIPRTC_LIBRARY",
                                        {"libhiprtc.so.6", "libhiprtc.so.5", "libamdhip64.so.5"}},
                         "hiprtcVersion");
}

}  // namespace sinter::runtime
