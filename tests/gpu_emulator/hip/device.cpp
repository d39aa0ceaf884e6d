// The attributes of a HIP device, with the numbers of an MI210, or of an RX 7900 XTX where waves
// have 32 lanes.
#include "core/base/codes.hpp"
#include "core/base/settings.hpp"
#include "core/base/vendor.hpp"
#include "core/memory/device.hpp"
#include "exported.hpp"

#include <cstring>
#include <string>

using namespace gpu_emulator;

namespace gpu_emulator {
namespace {

bool runs_on(const std::string& code, const std::string& device) {
    return code.substr(0, code.find(':')) == device;
}

vendor_traits device_of_environment() {
    vendor_traits v = {
        // A real name may tell another architecture than the one that code is for.
        .device_name = "Emulated HIP device gfx803",
        .architecture = "gfx90a",
        .warp = 64,
        .multiprocessors = 104,
        .threads_per_multiprocessor = 2048,
        .l2 = 8 << 20,
        .shared_memory = 64 << 10,
        .most_shared = 64 << 10,
        .minds_instances = false,
        .misaligned = illegal_address,
        .unbounded_threads = 1024,  // the compiler's bound for kernels that have none
        .most_launched = UINT32_MAX,
        .least_priority = 1,
        .greatest_priority = -1,
        .beyond_bounds = launch_failure,
        .runs_on = runs_on,
    };
    if (environment().wave == 32) {
        v.architecture = "gfx1100";
        v.warp = 32;
        v.multiprocessors = 48;
        v.l2 = 6 << 20;
    }
    return v;
}

}  // namespace

extern const vendor_traits vendor;
const vendor_traits vendor = device_of_environment();

}  // namespace gpu_emulator

EXPORTED int hipDeviceGetName(char* name, int length, int number) {
    if (!device::get(number)) return invalid_device;
    if (length < 1) return invalid_value;
    std::strncpy(name, vendor.device_name, static_cast<std::size_t>(length));
    name[length - 1] = '\0';
    return success;
}

EXPORTED int hipDeviceTotalMem(std::size_t* bytes, int number) {
    device* d = device::get(number);
    if (!d) return invalid_device;
    *bytes = d->memory().capacity();
    return success;
}

EXPORTED int hipDeviceGetAttribute(int* value, int attribute, int number) {
    if (!device::get(number)) return invalid_device;
    const auto answer = [&](std::size_t n) { return *value = static_cast<int>(n), success; };
    switch (attribute) {                 // hipDeviceAttribute_t since release 5
        case 5: return answer(1700000);  // ClockRate
        case 19: return answer(static_cast<unsigned>(vendor.l2));  // L2CacheSize
        case 26: return answer(1024);                              // MaxBlockDimX
        case 27: return answer(1024);                              // MaxBlockDimY
        case 28: return answer(1024);                              // MaxBlockDimZ
        case 29: return answer(0x7fffffff);                        // MaxGridDimX
        case 30: return answer(65535);                             // MaxGridDimY
        case 31: return answer(65535);                             // MaxGridDimZ
        case 56: return answer(1024);                              // MaxThreadsPerBlock
        case 57: return answer(static_cast<unsigned>(vendor.threads_per_multiprocessor));
        case 63: return answer(static_cast<unsigned>(vendor.multiprocessors));
        case 74: return answer(vendor.shared_memory);                // MaxSharedMemoryPerBlock
        case 87: return answer(static_cast<unsigned>(vendor.warp));  // WarpSize
        default: return invalid_value;
    }
}

namespace {

/// Where a release has the parts of hipDeviceProp_t that are filled, in bytes.
struct layout {
    std::size_t size, memory, shared, warp, architecture;
};
constexpr layout of_release_5 = {792, 256, 264, 276, 396};
constexpr layout since_release_6 = {1472, 288, 296, 308, 1160};

int fill(void* properties, int number, const layout& at) {
    device* d = device::get(number);
    if (!d) return invalid_device;
    auto* bytes = static_cast<char*>(properties);
    std::memset(bytes, 0, at.size);
    const std::size_t memory = d->memory().capacity();
    const std::string features = vendor.warp == 64 ? ":sramecc+:xnack-" : "";
    std::strncpy(bytes, vendor.device_name, 255);
    std::memcpy(bytes + at.memory, &memory, sizeof memory);
    std::memcpy(bytes + at.shared, &vendor.shared_memory, sizeof vendor.shared_memory);
    std::memcpy(bytes + at.warp, &vendor.warp, sizeof vendor.warp);
    std::strncpy(bytes + at.architecture, (vendor.architecture + features).c_str(), 255);
    return success;
}

}  // namespace

// Later releases have the function of 5, and what it filled then. That of 6 is hidden in 5's
// library.
EXPORTED int hipGetDeviceProperties(void* properties, int number) {
    return fill(properties, number, of_release_5);
}
EXPORTED int hipGetDevicePropertiesR0600(void* properties, int number) {
    return fill(properties, number, since_release_6);
}
