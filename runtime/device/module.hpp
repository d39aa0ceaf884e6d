// Device code that was loaded, and its kernels.
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

/// Loads a cubin or a code object, once; the kernels come in the order of `names`. Throws Error
/// where the driver refuses the code or does not find a name.
std::vector<gpu_kernel> load_kernels(const gpu& g, std::span<const char> code,
                                     std::span<const std::string> names);

/// Lets blocks of a kernel be launched with so many bytes of shared memory beside what it declares.
void allow_shared(const gpu_kernel& k, int bytes);

struct launch_shape {
    unsigned blocks = 1, threads = 1;
    unsigned shared = 0;  // bytes for the block, beside what the kernel declares
};

/// Puts a launch on a stream; `argument` is the kernel's only parameter, a struct by value, and is
/// read before this returns. Returns the position of the launch.
uint64_t put_launch(gpu_stream& s, const gpu_kernel& k, const launch_shape& shape,
                    const void* argument);

}  // namespace sinter::runtime
