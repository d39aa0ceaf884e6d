// A launch of a kernel on a GPU.
#pragma once

#include "jit/launch/gpu/launch_batch.hpp"
#include "jit/launch/gpu/launched_kernel.hpp"
#include "runtime/device/buffer.hpp"

#include <span>

namespace sinter::runtime {

struct gpu_operand {
    buffer* memory;          // null for an index
    char* base;              // its first byte, or the index
    const int64_t* strides;  // bytes, outermost first
    bool written;
};

/// Puts the kernel on the GPU's current stream. It waits for earlier writes of its operands and for
/// earlier reads of its outputs on other streams. For a kernel that can raise a status, waits for
/// it and returns the status bits; otherwise returns 0 without waiting. If `batch` (of that stream)
/// is given, a kernel that cannot raise a status is added to it instead; the operands' memory must
/// live until the batch has been put.
uint64_t launch_on_gpu(const launched_kernel& k, device_code& code, device_index device,
                       std::span<const gpu_operand> operands, std::span<const uint64_t> scalars,
                       launch_batch* batch = nullptr);

}  // namespace sinter::runtime
