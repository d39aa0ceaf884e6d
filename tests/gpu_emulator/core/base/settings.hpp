// The settings from the environment, read once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gpu_emulator {

struct settings {
    int devices = 1;                            // SINTER_EMULATOR_DEVICES
    std::size_t memory = std::size_t{8} << 30;  // SINTER_EMULATOR_MEMORY_MB, of a device
    uint64_t race_limit = uint64_t{1} << 22;    // SINTER_EMULATOR_RACE_LIMIT, accesses of a launch
    uint64_t delay = 0;                         // SINTER_EMULATOR_DELAY, a seed; 0: no delays
    uint64_t seed = 0;                          // SINTER_EMULATOR_SEED, of an order; 0: none
    bool small = false;                         // SINTER_EMULATOR_SMALL, an RTX 3090 of CUDA's
    int wave = 64;                              // SINTER_EMULATOR_WAVE, lanes of HIP's: 32 or 64
    int driver = 13000;                         // SINTER_EMULATOR_DRIVER, the release of CUDA's
    bool abort = false;                         // SINTER_EMULATOR_ABORT, at the first finding
    std::vector<std::string> architectures;  // SINTER_EMULATOR_ARCHITECTURES: no others are known
};

const settings& environment();

}  // namespace gpu_emulator
