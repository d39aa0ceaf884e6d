// The release of HIP that the library poses as.
#pragma once

namespace gpu_emulator {

struct hip_release {
    int major, minor;
    int version;  // of the runtime
};

/// By the file's name: "libamdhip64.so.7" and "libsinter_emulated_hip5.so" are of 7 and 5. Tests
/// plant several.
const hip_release& release();

}  // namespace gpu_emulator
