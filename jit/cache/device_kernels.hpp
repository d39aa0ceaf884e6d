// GPU kernels: from memory, from disk, or compiled now by the vendor's run-time compiler.
#pragma once

#include "jit/cache/kernel_cache.hpp"
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "runtime/device/module.hpp"

namespace sinter::code_cache {

/// A kernel that can be launched. Lives as long as the process.
struct device_kernel {
    runtime::gpu_kernel code;
    codegen::loop_shape shape;
    codegen::c_like_function text;
    std::vector<runtime::gpu_kernel> parts;  // in the order of text.parts
};

struct device_lookup {
    const device_kernel* k = nullptr;
    source from = source::memory;
};

/// Returns the kernel for a GPU and the shape of a space. Threads that want the same kernel compile
/// it once. Throws Error if it must be compiled and cannot be.
device_lookup get_on(const runtime::gpu& g, const kernel_ir::kernel& k,
                     const std::vector<uint8_t>& serialized_kernel,
                     const codegen::loop_shape& shape);

/// The kernels of a handwritten kernel source that follows the declarations of generated sources.
struct device_code {
    std::vector<runtime::gpu_kernel> kernels;  // in the order of `names`
    source from = source::memory;
};
/// Returns the named kernels of `text`, loaded from disk or compiled now; the caller keeps them.
/// Throws Error if the text must be compiled and cannot be.
device_code get_text_on(const runtime::gpu& g, const std::string& text,
                        std::span<const std::string> names);

/// Returns code for an architecture ("sm_90", "gfx90a"), whether or not such a GPU is present; the
/// disk cache keeps it. Throws Error with the compiler's log.
std::vector<char> compile_for(const codegen::gpu_compiler& c, const std::string& architecture,
                              const std::string& text);

}  // namespace sinter::code_cache
