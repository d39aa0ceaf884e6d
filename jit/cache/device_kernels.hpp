// GPU kernels: from memory, from disk, or compiled now by the vendor's run-time compiler.
#pragma once

#include "jit/cache/kernel_cache.hpp"
#include "jit/codegen/c_like/gpu_compiler.hpp"
#include "jit/stored/artefact.hpp"
#include "runtime/device/module.hpp"

#include <sinter/error.hpp>

namespace sinter::code_cache {

/// A kernel is stored nowhere and cannot be compiled: the CPU can compute the operation.
class no_device_code : public Error {
public:
    using Error::Error;
};

/// A kernel that can be launched. Lives as long as the process.
struct device_kernel {
    runtime::gpu_kernel code;
    codegen::loop_shape shape;
    codegen::c_like_function text;
    std::vector<runtime::gpu_kernel> parts;  // in the order of text.parts
};

struct device_lookup {
    const device_kernel* k = nullptr;  // null if it is stored nowhere and cannot be compiled
    source from = source::memory;
};

/// Returns the kernel for a GPU and the shape of a space. Threads that want the same kernel compile
/// it once. Throws Error if its compilation fails.
device_lookup get_on(const runtime::gpu& g, const kernel_ir::kernel& k,
                     const std::vector<uint8_t>& serialized_kernel,
                     const codegen::loop_shape& shape);

/// Returns the name of what code for an architecture runs on: "CUDA sm_90".
std::string target_name(const codegen::gpu_compiler& c, const std::string& architecture);

/// Returns the compiler and its options, for people.
std::string producer_of(const codegen::gpu_compiler& c, const std::string& architecture);

/// Throws the error of code that is stored nowhere and cannot be compiled, by its key:
/// no_device_code, or that of SINTER_CACHE=require. `line`: where the program asked for it; may be
/// empty.
[[noreturn]] void refuse_missing(const runtime::gpu& g, byte_view key,
                                 const std::string& line = {});

/// The kernels of a handwritten kernel source that follows the declarations of generated sources.
struct device_code {
    std::vector<runtime::gpu_kernel> kernels;  // in the order of `names`
    source from = source::memory;
};
/// Returns the named kernels of `text`, loaded from disk or compiled now; the caller keeps them.
/// Throws no_device_code if they are stored nowhere and cannot be compiled, Error if their
/// compilation fails.
device_code get_text_on(const runtime::gpu& g, const std::string& text,
                        std::span<const std::string> names);

/// Returns code for an architecture ("sm_90", "gfx90a"), whether or not such a GPU is present; the
/// disk cache keeps it. Throws Error with the compiler's log.
std::vector<char> compile_for(const codegen::gpu_compiler& c, const std::string& architecture,
                              const std::string& text);

}  // namespace sinter::code_cache
