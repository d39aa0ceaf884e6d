// The GPUs of this process: cuda:0, cuda:1, ... of either vendor.
#pragma once

#include "runtime/device/driver.hpp"

namespace sinter::runtime {

struct gpu {
    const driver* api = nullptr;
    int ordinal = 0;  // the driver's device number
    int index = 0;    // Sinter's index: NVIDIA GPUs first, then AMD GPUs
    device_properties properties;

    std::string str() const { return "cuda:" + std::to_string(index); }
};

/// Returns the number of GPUs; opens the drivers on the first call. Does not throw.
int gpu_count();

/// Returns a GPU. Throws Error if there is none with this index or the driver is lost.
const gpu& gpu_at(int index);

/// Returns the GPU that was used first, or the first GPU if none was: what is of no particular GPU
/// makes no context on another one. Throws as gpu_at.
const gpu& used_gpu();

/// Returns true if the drivers must not be called any more: the process was forked from one that
/// had opened them, or it is exiting and objects in static storage outlive them.
bool driver_is_lost() noexcept;
/// Throws Error if the driver is lost.
void require_usable(const gpu& g);

/// Returns why there is no GPU: the reason for each driver.
std::string why_no_gpu();

/// Makes a GPU the current device of the calling thread within a scope. Most driver functions need
/// that.
class device_scope {
public:
    explicit device_scope(const gpu& g);
    ~device_scope();
    device_scope(const device_scope&) = delete;
    device_scope& operator=(const device_scope&) = delete;

private:
    const gpu& gpu_;
    void* before_ = nullptr;
};

/// Throws OutOfMemoryError or Error for a driver's error code. Every call after a failed
/// asynchronous operation returns its error, so `doing` may not be the cause; the text says so.
void check(const gpu& g, const char* doing, int code);

/// Returns true if launches and copies block, so that errors are thrown where they occur:
/// SINTER_LAUNCH_BLOCKING=1, CUDA_LAUNCH_BLOCKING=1 or HIP_LAUNCH_BLOCKING=1.
bool launch_blocking();

}  // namespace sinter::runtime
