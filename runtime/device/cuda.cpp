#include "runtime/device.hpp"
#include "runtime/device/driver_library.hpp"

#include <cstddef>

namespace sinter::runtime {
namespace {

// The part of the CUDA driver API that discovery needs.
using result = int;
using device_ordinal = int;
constexpr int compute_major = 75, compute_minor = 76;

struct cuda_driver {
    result (*init)(unsigned flags);
    result (*version)(int* version);
    result (*count)(int* count);
    result (*get)(device_ordinal* device, int ordinal);
    result (*name)(char* name, int length, device_ordinal device);
    result (*attribute)(int* value, int attribute, device_ordinal device);
    result (*memory)(std::size_t* bytes, device_ordinal device);

    bool load(driver_library& lib) {
        return lib.find("cuInit", init) && lib.find("cuDriverGetVersion", version) &&
               lib.find("cuDeviceGetCount", count) && lib.find("cuDeviceGet", get) &&
               lib.find("cuDeviceGetName", name) && lib.find("cuDeviceGetAttribute", attribute) &&
               lib.find("cuDeviceTotalMem_v2", memory);
    }
};

std::string describe(const cuda_driver& cu, int ordinal) {
    device_ordinal device = 0;
    char name[256] = {};
    int major = 0, minor = 0;
    std::size_t bytes = 0;
    if (cu.get(&device, ordinal) != 0 || cu.name(name, sizeof name - 1, device) != 0)
        return "device " + std::to_string(ordinal) + " does not answer";
    std::string text = name;
    if (cu.attribute(&major, compute_major, device) == 0 &&
        cu.attribute(&minor, compute_minor, device) == 0)
        text += ", sm_" + std::to_string(major) + std::to_string(minor);
    if (cu.memory(&bytes, device) == 0) text += ", " + std::to_string(bytes >> 20) + " MiB";
    return text;
}

}  // namespace

device_report find_cuda() {
    driver_library lib{"libcuda.so.1"};
    cuda_driver cu{};
    if (!lib || !cu.load(lib)) return {false, "", lib.error()};
    if (result r = cu.init(0); r != 0)
        return {false, "", "cuInit failed with error " + std::to_string(r)};
    int count = 0, version = 0;
    if (result r = cu.count(&count); r != 0)
        return {false, "", "cuDeviceGetCount failed with error " + std::to_string(r)};
    if (count == 0) return {false, "", "the driver lists no device"};
    device_report report{true, "", ""};
    if (cu.version(&version) == 0)
        report.what = "driver API " + std::to_string(version / 1000) + "." +
                      std::to_string(version % 1000 / 10);
    for (int i = 0; i < count; ++i) report.what += "; " + describe(cu, i);
    return report;
}

}  // namespace sinter::runtime
