// Devices, and guards of the current one. `cuda` means a GPU of either vendor: NVIDIA's are counted
// first, then AMD's.
#pragma once

#include <sinter/options.hpp>

#include <cstddef>
#include <optional>

namespace sinter::inline v1 {

namespace cuda {
/// Returns true if a driver lists a GPU, or the number of GPUs. PyTorch: torch.cuda.is_available,
/// torch.cuda.device_count.
///@{
SINTER_API bool is_available();
SINTER_API std::size_t device_count();
///@}
/// Sets or returns the calling thread's current device, at first 0. Throws Error if there is none.
/// PyTorch: torch.cuda.set_device, torch.cuda.current_device.
///@{
SINTER_API void set_device(int64_t index);
SINTER_API int64_t current_device();
///@}
/// Waits for all work of a device, -1 for the current one; throws the errors of that work. PyTorch:
/// torch.cuda.synchronize.
SINTER_API void synchronize(int64_t index = -1);
}  // namespace cuda

/// Sets or returns the device on which factories of the calling thread put tensors unless their
/// options name one, at first the CPU. Throws Error if the device does not exist. PyTorch:
/// torch.set_default_device.
///@{
SINTER_API void set_default_device(Device device);
SINTER_API Device get_default_device();
///@}

/// Makes a device the current one of its type until the end of the scope; on the CPU it does
/// nothing. libtorch: c10::DeviceGuard.
class SINTER_API DeviceGuard {
public:
    /// Sets the device, and restores the one before. Throws Error if it does not exist.
    ///@{
    explicit DeviceGuard(Device device);
    ~DeviceGuard();
    ///@}
    DeviceGuard(const DeviceGuard&) = delete;
    DeviceGuard& operator=(const DeviceGuard&) = delete;
    /// Makes another device current. Throws Error if it does not exist.
    ///@{
    void set_index(int8_t index) { reset_device(Device(current_.type(), index)); }
    void reset_device(Device device);
    ///@}
    /// Returns the device that was current before, or the one that the guard set.
    ///@{
    Device original_device() const { return original_; }
    Device current_device() const { return current_; }
    ///@}

private:
    Device original_, current_;
};

/// A DeviceGuard that may hold no device. libtorch: c10::OptionalDeviceGuard.
class SINTER_API OptionalDeviceGuard {
public:
    /// Sets the device if there is one, and restores the one before.
    ///@{
    OptionalDeviceGuard() = default;
    ~OptionalDeviceGuard();
    explicit OptionalDeviceGuard(Device device) { reset_device(device); }
    explicit OptionalDeviceGuard(const std::optional<Device>& device) {
        if (device) reset_device(*device);
    }
    ///@}
    OptionalDeviceGuard(const OptionalDeviceGuard&) = delete;
    OptionalDeviceGuard& operator=(const OptionalDeviceGuard&) = delete;
    /// Makes another device current. Throws Error if it does not exist.
    void reset_device(Device device);
    /// Returns the device that was current before, or the one that the guard set; none if it set
    /// none.
    ///@{
    std::optional<Device> original_device() const { return original_; }
    std::optional<Device> current_device() const { return current_; }
    ///@}

private:
    std::optional<Device> original_, current_;
};

}  // namespace sinter::inline v1
