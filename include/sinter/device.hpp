// Devices that are there, and guards of the current one. `cuda` means a GPU of either vendor: those
// of NVIDIA's driver come first, then those of AMD's.
#pragma once

#include <sinter/options.hpp>

#include <cstddef>
#include <optional>

namespace sinter::inline v1 {

namespace cuda {
/// Whether tensors can be on such a device: a driver is there and lists one.
SINTER_API bool is_available();
SINTER_API std::size_t device_count();
/// These throw Error where there is none. The current device is the calling thread's, at first 0.
SINTER_API void set_device(int64_t index);
SINTER_API int64_t current_device();
/// Waits for all work of a device, the current one by default; throws the errors of that work.
SINTER_API void synchronize(int64_t index = -1);
}  // namespace cuda

/// Where the calling thread's factories put tensors when they are told no device, at first the CPU:
/// as Python's torch.set_default_device. Throws Error where the device is not there.
SINTER_API void set_default_device(Device device);
SINTER_API Device get_default_device();

/// Makes a device the current one of its type until the end of the scope. Throws Error where it is
/// not there; on the CPU nothing happens.
class SINTER_API DeviceGuard {
public:
    explicit DeviceGuard(Device device);
    ~DeviceGuard();
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
    ~OptionalDeviceGuard();
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
