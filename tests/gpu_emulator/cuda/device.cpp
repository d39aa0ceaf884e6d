// The attributes of a CUDA device, with the numbers of an H100 or an RTX 3090.
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

int version_of(const std::string& architecture) {
    return std::stoi(architecture.substr(architecture.find('_') + 1));
}

/// A cubin runs on devices of its major version whose minor version is not older. PTX runs on all
/// devices that are not older.
bool runs_on(const std::string& code, const std::string& device) {
    const int of_code = version_of(code), of_device = version_of(device);
    if (code.rfind("compute_", 0) == 0) return of_code <= of_device;
    return of_code / 10 == of_device / 10 && of_code <= of_device;
}

/// Cubins run on later drivers of their compiler's major release, PTX on drivers that are not
/// older.
int refuses(const std::string& code, uint64_t release) {
    const auto driver = static_cast<uint64_t>(environment().driver);
    if (code.rfind("compute_", 0) == 0) return release > driver ? unsupported_ptx : success;
    return release / 1000 > driver / 1000 ? invalid_image : success;
}

vendor_traits device_of_environment() {
    vendor_traits v = {
        .device_name = "Emulated CUDA device",
        .architecture = "sm_90",
        .warp = 32,
        .multiprocessors = 132,
        .threads_per_multiprocessor = 2048,
        .l2 = 50 << 20,
        .shared_memory = 48 << 10,
        .most_shared = 227 << 10,
        .minds_instances = true,
        .misaligned = 716,
        .unbounded_threads = 256,  // of 255 registers each, of 65536
        .most_launched = UINT64_MAX,
        .least_priority = 0,
        .greatest_priority = -5,
        .beyond_bounds = invalid_value,
        .runs_on = runs_on,
        .refuses = refuses,
    };
    if (environment().small) {
        v.architecture = "sm_86";
        v.multiprocessors = 82;
        v.threads_per_multiprocessor = 1536;
        v.l2 = 6 << 20;
        v.most_shared = 99 << 10;
    }
    return v;
}

}  // namespace

extern const vendor_traits vendor;
const vendor_traits vendor = device_of_environment();

}  // namespace gpu_emulator

EXPORTED int cuDeviceGetName(char* name, int length, int number) {
    if (!device::get(number)) return invalid_device;
    if (length < 1) return invalid_value;
    std::strncpy(name, vendor.device_name, static_cast<std::size_t>(length));
    name[length - 1] = '\0';
    return success;
}

EXPORTED int cuDeviceTotalMem_v2(std::size_t* bytes, int number) {
    device* d = device::get(number);
    if (!d) return invalid_device;
    *bytes = d->memory().capacity();
    return success;
}

EXPORTED int cuDeviceGetAttribute(int* value, int attribute, int number) {
    if (!device::get(number)) return invalid_device;
    const auto answer = [&](std::size_t n) { return *value = static_cast<int>(n), success; };
    switch (attribute) {                                             // CUdevice_attribute
        case 1: return answer(1024);                                 // MAX_THREADS_PER_BLOCK
        case 2: return answer(1024);                                 // MAX_BLOCK_DIM_X
        case 3: return answer(1024);                                 // MAX_BLOCK_DIM_Y
        case 4: return answer(64);                                   // MAX_BLOCK_DIM_Z
        case 5: return answer(0x7fffffff);                           // MAX_GRID_DIM_X
        case 6: return answer(65535);                                // MAX_GRID_DIM_Y
        case 7: return answer(65535);                                // MAX_GRID_DIM_Z
        case 8: return answer(vendor.shared_memory);                 // MAX_SHARED_MEMORY_PER_BLOCK
        case 10: return answer(static_cast<unsigned>(vendor.warp));  // WARP_SIZE
        case 12: return answer(65536);                               // MAX_REGISTERS_PER_BLOCK
        case 13: return answer(1980000);                             // CLOCK_RATE
        case 16: return answer(static_cast<unsigned>(vendor.multiprocessors));
        case 19: return answer(1);                                 // CAN_MAP_HOST_MEMORY
        case 31: return answer(1);                                 // CONCURRENT_KERNELS
        case 36: return answer(2619000);                           // MEMORY_CLOCK_RATE
        case 37: return answer(5120);                              // GLOBAL_MEMORY_BUS_WIDTH
        case 38: return answer(static_cast<unsigned>(vendor.l2));  // L2_CACHE_SIZE
        case 39: return answer(static_cast<unsigned>(vendor.threads_per_multiprocessor));
        case 40: return answer(3);  // ASYNC_ENGINE_COUNT
        case 41: return answer(1);  // UNIFIED_ADDRESSING
        case 75: return answer(static_cast<unsigned>(version_of(vendor.architecture) / 10));
        case 76: return answer(static_cast<unsigned>(version_of(vendor.architecture) % 10));
        case 78: return answer(1);                          // STREAM_PRIORITIES_SUPPORTED
        case 81: return answer(vendor.most_shared + 1024);  // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
        case 82: return answer(65536);                      // MAX_REGISTERS_PER_MULTIPROCESSOR
        case 97: return answer(vendor.most_shared);         // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        default: return invalid_value;
    }
}
