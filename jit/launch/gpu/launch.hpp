// A launch of a kernel on a GPU.
#pragma once

#include "jit/launch/gpu/launch_batch.hpp"
#include "jit/launch/gpu/launched_kernel.hpp"
#include "runtime/device/buffer.hpp"

#include <span>

namespace sinter::plan {

struct gpu_operand {
    runtime::buffer* memory;  // none: an index
    char* base;               // its first byte, or the index
    const int64_t* strides;   // bytes, outermost first
    bool written;
};

/// Puts the kernel on the current stream of the GPU, behind what wrote its operands on others, and
/// behind what reads where it writes. Returns the status bits of a kernel that can raise some,
/// which it waits for; else 0, without waiting. With a `batch`, which is of that stream, a kernel
/// that cannot raise any is left to it; the operands' memory stays until that has been put.
uint64_t launch_on_gpu(const launched_kernel& k, runtime::device_index place,
                       std::span<const gpu_operand> operands, std::span<const uint64_t> scalars,
                       launch_batch* batch = nullptr);

}  // namespace sinter::plan
