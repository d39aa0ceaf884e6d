// The GPUs of this process: cuda:0, cuda:1, ... whichever vendor made them.
#pragma once

#include "runtime/device/driver.hpp"

namespace sinter::runtime {

struct gpu {
    const driver* api = nullptr;
    int ordinal = 0;  // the driver's number of it
    int index = 0;    // Sinter's: NVIDIA's first, then AMD's
    device_properties properties;

    std::string str() const { return "cuda:" + std::to_string(index); }
};

/// How many there are; opens the drivers on the first call. Does not throw.
int gpu_count();

/// Throws Error where there is none of that index.
const gpu& gpu_at(int index);

/// Whether the drivers must not be called any more: the process was forked from one that had opened
/// them, or it ends, and what stands in static storage outlives them.
bool driver_is_lost() noexcept;
/// Throws Error there.
void require_usable(const gpu& g);

/// Why there is none: what each driver said.
std::string why_no_gpu();

/// Makes a GPU the calling thread's for the time of a scope. Most driver functions want that.
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

/// Throws what a driver's code means, OutOfMemoryError or Error, unless it is success. An error
/// that work left behind, which every later call returns, names `doing` although it is not to
/// blame; the text says so.
void check(const gpu& g, const char* doing, int code);

/// Whether launches and copies are waited for, so that an error is thrown where it was made:
/// SINTER_LAUNCH_BLOCKING=1, CUDA_LAUNCH_BLOCKING=1 or HIP_LAUNCH_BLOCKING=1.
bool launch_blocking();

}  // namespace sinter::runtime
