// What the emulated BLAS and solver libraries of both vendors share: handles, the checks of a call,
// and its run on the handle's stream.
#pragma once

#include "device.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gpu_emulator::library {

/// What became of a call; the faces have their own codes for it.
enum class status { done, no_handle, invalid, no_memory, not_supported, failed };

struct handle {
    device* on = nullptr;
    std::shared_ptr<stream> to;
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
    bool asking = false;  // rocBLAS: for the size of workspaces
    std::size_t asked = 0;
    std::atomic<int> inside{0};  // calls
};

status create(void** made);
status set_stream(void* h, void* stream);
status set_workspace(void* h, void* memory, std::size_t bytes);
std::shared_ptr<handle> find(void* h);

/// Bytes that a call reads or writes, from a device address on.
struct region {
    const void* at;
    std::size_t bytes;
};

/// A call of `name`: refused where its handle is none of the current device's, is in use by another
/// thread, where `fits` is false or a region is not allocated; counted, and made to fail where a
/// test wants that. Otherwise `run` runs on the handle's stream; false fails the device.
status submit(void* h, const char* name, bool fits, std::vector<region> regions,
              std::function<bool()> run);

/// Where the bytes of a device address are for the host; for what runs.
void* bytes_of(const void* address);
template <class T>
T* host(const T* p) {
    return static_cast<T*>(bytes_of(p));
}
/// Whether all regions are allocated; says so where not.
bool are_allocated(const char* name, const std::vector<region>& regions);

}  // namespace gpu_emulator::library
