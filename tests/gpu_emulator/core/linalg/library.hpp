// Shared by the emulated BLAS and solver libraries of both vendors: handles, the checks of a call,
// and its run on the handle's stream.
#pragma once

#include "core/memory/device.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gpu_emulator::library {

/// The result of a call; the vendor libraries have their own codes for it.
enum class status { done, no_handle, invalid, no_memory, not_supported, failed };

struct handle {
    device* on = nullptr;
    std::shared_ptr<stream> to;
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
    bool asking = false;  // rocBLAS: the call only asks for the size of workspaces
    std::size_t asked = 0;
    std::atomic<int> inside{0};  // running calls
};

status create(void** made);
status set_stream(void* h, void* stream);
status set_workspace(void* h, void* memory, std::size_t bytes);
std::shared_ptr<handle> find(void* h);

/// Bytes that a call reads or writes, starting at a device address.
struct region {
    const void* at;
    std::size_t bytes;
};

/// Submits a call of `name`. The call is refused if its handle does not belong to the current
/// device or is in use by another thread, if `fits` is false, or if a region is not allocated. It
/// is counted, and fails if a test asks for that. Otherwise `run` runs on the handle's stream;
/// false fails the device.
status submit(void* h, const char* name, bool fits, std::vector<region> regions,
              std::function<bool()> run);

/// Returns the host address of the bytes at a device address, for a running call.
void* bytes_of(const void* address);
template <class T>
T* host(const T* p) {
    return static_cast<T*>(bytes_of(static_cast<const void*>(p)));
}
/// Returns true if all regions are allocated; otherwise reports a finding.
bool are_allocated(const char* name, const std::vector<region>& regions);

}  // namespace gpu_emulator::library
