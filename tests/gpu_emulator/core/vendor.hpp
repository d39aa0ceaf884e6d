// What differs between the emulated vendors; each face defines its own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gpu_emulator {

struct vendor_traits {
    const char* device_name;
    const char* architecture;
    int warp;
    int multiprocessors;
    int threads_per_multiprocessor;
    int l2;
    std::size_t shared_memory;  // of a block
    std::size_t most_shared;    // of one whose kernel was allowed them
    /// Whether launches of a graph's instance take turns on all streams, and keep it until they
    /// have run although it is destroyed.
    bool minds_instances;
    int misaligned;  // the code of a misaligned access
    /// Whether code for one architecture runs on a device of another.
    bool (*runs_on)(const std::string& code, const std::string& device);
};

extern const vendor_traits vendor;

class device;
/// The calling thread's; nullptr: none.
device* current_device();

}  // namespace gpu_emulator
