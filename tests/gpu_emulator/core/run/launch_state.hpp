// Shared by a module's code and the emulator: the module's variable `gpu_emulator_state`, as
// prelude.cpp declares it. A module runs one launch at a time.
#pragma once

#include <cstdint>

namespace gpu_emulator {

struct index3 {
    uint32_t x = 0, y = 0, z = 0;
};

class launch;

struct launch_state {
    index3 thread, block, threads, blocks;
    char* shared = nullptr;  // the block's shared memory
    launch* current = nullptr;
};

/// A kernel that takes its parameters one after another.
using kernel_function = void (*)(const char* parameters);

}  // namespace gpu_emulator
