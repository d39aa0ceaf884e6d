// A launch of a kernel on a GPU.
#pragma once

#include "jit/launch/gpu/launch_batch.hpp"
#include "jit/launch/gpu/launched_kernel.hpp"
#include "runtime/device/buffer.hpp"

#include <functional>
#include <span>
#include <string>

namespace sinter::runtime {

struct gpu_operand {
    buffer* memory;          // null for an index
    char* base;              // its first byte, or the index
    const int64_t* strides;  // bytes, outermost first
    bool written;
};

struct gpu_launch_options {
    /// Of the current stream: gets the launch of a kernel that cannot raise a status. The operands'
    /// memory must live until the batch has been put.
    launch_batch* batch = nullptr;
    /// A word of 0 on the device: gets the status bits of a kernel that can raise some.
    uint64_t* status = nullptr;
    /// Returns the lines that asked for the kernel, for the error of SINTER_CACHE=require.
    std::function<std::string()> where = {};
};

/// Puts the kernel on the GPU's current stream. It waits for earlier writes of its operands and for
/// earlier reads of its outputs on other streams. Returns false, with nothing put, if the kernel is
/// stored in no form that would do and cannot be compiled; SINTER_CACHE=require throws an error
/// instead.
bool launch_on_gpu(const launched_kernel& k, device_code& code, device_index device,
                   std::span<const gpu_operand> operands, std::span<const uint64_t> scalars,
                   const gpu_launch_options& how = {});

/// For tests: from now on, generated kernels run in their base form, compiled if need be, or, with
/// `none`, by the CPU, as where nothing compiles and packs have no other form.
enum class gpu_forms : uint8_t { all, base, none };
void limit_gpu_forms(gpu_forms to);
bool all_gpu_forms();

}  // namespace sinter::runtime
