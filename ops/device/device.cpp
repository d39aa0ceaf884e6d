// Devices: how many there are, the current one, and waiting for one.
#include "ops/common/devices.hpp"
#include "runtime/device/stream.hpp"

#include <sinter/device.hpp>

namespace sinter::inline v1 {

namespace cuda {

bool is_available() { return device_count() > 0; }
std::size_t device_count() { return static_cast<std::size_t>(runtime::gpu_count()); }

void set_device(int64_t index) {
    const auto number = static_cast<int8_t>(index >= 0 && index < 128 ? index : 127);
    front::set_current_gpu(front::place_of("set_device", Device(kCUDA, number)));
}

int64_t current_device() { return front::place_of("current_device", kCUDA); }

void synchronize(int64_t index) {
    const auto number = static_cast<int8_t>(index < 128 ? index : 127);
    const auto place =
        front::place_of("synchronize", Device(kCUDA, index < 0 ? int8_t{-1} : number));
    runtime::finish_device(runtime::gpu_at(place));
}

}  // namespace cuda

void set_default_device(Device device) {
    creation_device() = front::place_of("set_default_device", device);
}
Device get_default_device() { return front::device_of(creation_device()); }

namespace {

/// Returns the current device of a type.
Device current_of(DeviceType type) {
    return type == kCPU ? Device(kCPU) : Device(kCUDA, front::current_gpu());
}

/// Makes a device current and returns it with its index.
Device enter(const char* op, Device device) {
    const auto place = front::place_of(op, device);
    if (place == runtime::main_memory) return device;
    front::set_current_gpu(place);
    return front::device_of(place);
}

void leave(const Device& original) {
    if (!original.is_cpu() && original.has_index()) front::set_current_gpu(original.index());
}

}  // namespace

DeviceGuard::DeviceGuard(Device device)
    : original_(current_of(device.type())), current_(enter("DeviceGuard", device)) {}

DeviceGuard::~DeviceGuard() { leave(original_); }

void DeviceGuard::reset_device(Device device) {
    if (device.type() != original_.type()) {
        leave(original_);
        original_ = current_of(device.type());
    }
    current_ = enter("DeviceGuard", device);
}

OptionalDeviceGuard::~OptionalDeviceGuard() {
    if (original_) leave(*original_);
}

void OptionalDeviceGuard::reset_device(Device device) {
    const Device before = current_of(device.type());
    current_ = enter("OptionalDeviceGuard", device);
    if (!original_) original_ = before;
}

}  // namespace sinter::inline v1
