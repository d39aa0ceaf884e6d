// The differences between the emulated vendors; each vendor library defines its values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpu_emulator {

struct vendor_traits {
    const char* device_name;
    std::string architecture;
    int warp;
    int multiprocessors;
    int threads_per_multiprocessor;
    int l2;
    std::size_t shared_memory;  // per block
    std::size_t most_shared;    // per block of a kernel that is allowed more
    /// True if launches of a graph's instance take turns on all streams, and keep the instance
    /// until they have run even if it is destroyed.
    bool minds_instances;
    int misaligned;  // the code for a misaligned access
    /// Threads that a block of a kernel without launch bounds may have for certain: a thread may
    /// need as many registers as the compiler gives to one.
    unsigned unbounded_threads;
    uint64_t most_launched;                 // threads of a launch along each dimension
    int least_priority, greatest_priority;  // greater numbers are lower priorities
    int beyond_bounds;  // the code for a block of more threads than the launch bounds allow
    /// Returns true if code for one architecture runs on a device of another.
    bool (*runs_on)(const std::string& code, const std::string& device);
    /// Returns the code with which the driver refuses code for an architecture of a compiler's
    /// release; 0: it takes it. Null: it takes all.
    int (*refuses)(const std::string& code, uint64_t release) = nullptr;
};

extern const vendor_traits vendor;

class device;
/// Returns the calling thread's device; nullptr: none.
device* current_device();

}  // namespace gpu_emulator
