// Devices: none but the CPU yet, so that everything else is a question or a refusal.
#include "jit/expr/front.hpp"

#include <sinter/device.hpp>

namespace sinter::inline v1 {
namespace {

void require_device(const char* op, Device device) {
    if (!device.is_cpu())
        front::fail(op, "the device is not there", device.str(), "cpu",
                    "cuda::is_available() first");
    if (device.index() > 0)
        front::fail(op, "the device is not there", device.str(), "cpu or cpu:0", "kCPU");
}

}  // namespace

namespace cuda {
bool is_available() { return false; }
std::size_t device_count() { return 0; }
void set_device(int64_t index) {
    require_device("set_device", Device(kCUDA, static_cast<int8_t>(index)));
}
int64_t current_device() {
    require_device("current_device", kCUDA);
    return 0;
}
void synchronize(int64_t index) {
    require_device("synchronize", Device(kCUDA, static_cast<int8_t>(index)));
}
}  // namespace cuda

DeviceGuard::DeviceGuard(Device device) : original_(device.type()), current_(device) {
    require_device("DeviceGuard", device);
}

void DeviceGuard::reset_device(Device device) {
    require_device("DeviceGuard", device);
    current_ = device;
}

void OptionalDeviceGuard::reset_device(Device device) {
    require_device("OptionalDeviceGuard", device);
    if (!original_) original_ = Device(device.type());
    current_ = device;
}

}  // namespace sinter::inline v1
