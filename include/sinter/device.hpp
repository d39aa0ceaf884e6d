// Devices that are there, and guards of the current one. This build computes on the CPU: device
// code that asks first runs, and code that insists is told what is missing.
#pragma once

#include <sinter/options.hpp>

#include <cstddef>
#include <optional>

namespace sinter::inline v1 {

namespace cuda {
/// Whether tensors can be on such a device: false, with a driver too.
SINTER_API bool is_available();
SINTER_API std::size_t device_count();
/// These throw Error where there is none.
SINTER_API void set_device(int64_t index);
SINTER_API int64_t current_device();
SINTER_API void synchronize(int64_t index = -1);
}  // namespace cuda

/// Makes a device the current one of its type until the end of the scope. Throws Error where it is
/// not there; on the CPU nothing happens.
class SINTER_API DeviceGuard {
public:
    explicit DeviceGuard(Device device);
    DeviceGuard(const DeviceGuard&) = delete;
    DeviceGuard& operator=(const DeviceGuard&) = delete;
    void set_index(int8_t index) { reset_device(Device(current_.type(), index)); }
    void reset_device(Device device);
    Device original_device() const { return original_; }
    Device current_device() const { return current_; }

private:
    Device original_, current_;
};

/// The same for a device that may be none.
class SINTER_API OptionalDeviceGuard {
public:
    OptionalDeviceGuard() = default;
    explicit OptionalDeviceGuard(Device device) { reset_device(device); }
    explicit OptionalDeviceGuard(const std::optional<Device>& device) {
        if (device) reset_device(*device);
    }
    OptionalDeviceGuard(const OptionalDeviceGuard&) = delete;
    OptionalDeviceGuard& operator=(const OptionalDeviceGuard&) = delete;
    void reset_device(Device device);
    std::optional<Device> original_device() const { return original_; }
    std::optional<Device> current_device() const { return current_; }

private:
    std::optional<Device> original_, current_;
};

}  // namespace sinter::inline v1
