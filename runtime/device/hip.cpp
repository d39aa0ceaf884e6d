#include "runtime/device.hpp"
#include "runtime/device/driver_library.hpp"

#include <cstddef>

namespace sinter::runtime {
namespace {

// The part of the HIP runtime that discovery needs. Structures differ between versions, so none is
// used.
using result = int;
using device_ordinal = int;

struct hip_runtime {
    result (*init)(unsigned flags);
    result (*version)(int* version);
    result (*count)(int* count);
    result (*get)(device_ordinal* device, int ordinal);
    result (*name)(char* name, int length, device_ordinal device);
    result (*memory)(std::size_t* bytes, device_ordinal device);

    bool load(driver_library& lib) {
        return lib.find("hipInit", init) && lib.find("hipRuntimeGetVersion", version) &&
               lib.find("hipGetDeviceCount", count) && lib.find("hipDeviceGet", get) &&
               lib.find("hipDeviceGetName", name) && lib.find("hipDeviceTotalMem", memory);
    }
};

std::string describe(const hip_runtime& hip, int ordinal) {
    device_ordinal device = 0;
    char name[256] = {};
    std::size_t bytes = 0;
    if (hip.get(&device, ordinal) != 0 || hip.name(name, sizeof name - 1, device) != 0)
        return "device " + std::to_string(ordinal) + " does not answer";
    std::string text = name;
    if (hip.memory(&bytes, device) == 0) text += ", " + std::to_string(bytes >> 20) + " MiB";
    return text;
}

}  // namespace

device_report find_hip() {
    driver_library lib{"libamdhip64.so.5", "libamdhip64.so.6"};
    hip_runtime hip{};
    if (!lib || !hip.load(lib)) return {false, "", lib.error()};
    if (result r = hip.init(0); r != 0)
        return {false, "", "hipInit failed with error " + std::to_string(r)};
    int count = 0, version = 0;
    if (result r = hip.count(&count); r != 0)
        return {false, "", "hipGetDeviceCount failed with error " + std::to_string(r)};
    if (count == 0) return {false, "", "the runtime lists no device"};
    device_report report{true, "", ""};
    if (hip.version(&version) == 0) report.what = "runtime version " + std::to_string(version);
    for (int i = 0; i < count; ++i) report.what += "; " + describe(hip, i);
    return report;
}

}  // namespace sinter::runtime
