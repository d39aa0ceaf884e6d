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
    ops::set_current_gpu(ops::device_index_of("set_device", Device(kCUDA, number)));
}

int64_t current_device() { return ops::device_index_of("current_device", kCUDA); }

void synchronize(int64_t index) {
    const auto number = static_cast<int8_t>(index < 128 ? index : 127);
    const auto at =
        ops::device_index_of("synchronize", Device(kCUDA, index < 0 ? int8_t{-1} : number));
    runtime::finish_device(runtime::gpu_at(at));
}

}  // namespace cuda

void set_default_device(Device device) {
    creation_device() = ops::device_index_of("set_default_device", device);
}
Device get_default_device() { return ops::device_of(creation_device()); }

namespace {

/// Returns the current device of a type.
Device current_of(DeviceType type) {
    return type == kCPU ? Device(kCPU) : Device(kCUDA, ops::current_gpu());
}

/// Makes a device current and returns it with its index.
Device enter(const char* op, Device device) {
    const auto at = ops::device_index_of(op, device);
    if (at == runtime::main_memory) return device;
    ops::set_current_gpu(at);
    return ops::device_of(at);
}

void leave(const Device& original) {
    if (!original.is_cpu() && original.has_index()) ops::set_current_gpu(original.index());
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
