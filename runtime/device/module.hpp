// Loaded device code and its kernels.
#pragma once

#include "runtime/device/stream.hpp"

#include <array>
#include <span>

namespace sinter::runtime {

/// A kernel of a loaded module. Lives as long as the process, as its module does.
struct gpu_kernel {
    const gpu* device = nullptr;
    void* function = nullptr;
};

/// Loads a cubin or a code object and returns its kernels in the order of `names`. Throws Error if
/// the driver refuses the code or does not find a name.
std::vector<gpu_kernel> load_kernels(const gpu& g, std::span<const char> code,
                                     std::span<const std::string> names);

/// Allows launches of a kernel with this many bytes of shared memory per block, in addition to what
/// it declares.
void allow_shared(const gpu_kernel& k, int bytes);

struct launch_shape {
    unsigned blocks = 1, threads = 1;
    unsigned shared = 0;  // bytes per block, in addition to what the kernel declares
};

/// Submits a launch to a stream and returns its position. `argument` is the kernel's only
/// parameter, a struct by value; it is read before this returns.
uint64_t put_launch(gpu_stream& s, const gpu_kernel& k, const launch_shape& shape,
                    const void* argument);

}  // namespace sinter::runtime
