// What is done to a module of kernels before and after LLVM's own passes.
#pragma once

#include "image.hpp"

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace gpu_emulator {

/// A kernel as it was declared.
struct declared_kernel {
    std::string name;
    struct parameter {
        uint32_t bytes, alignment;
        bool by_address;  // LLVM's parameter is an address of the bytes
    };
    std::vector<parameter> parameters;
};

/// Gives each kernel a wrapper of its name that takes the parameters as bytes, and keeps LLVM from
/// assuming that threads are alone.
std::vector<kernel_info> wrap_kernels(llvm::Module& m, const std::vector<declared_kernel>& kernels);

/// A check before every access to memory but a thread's own, and the layout of shared memory.
/// Returns what is wrong, or nothing.
std::string check_accesses(llvm::Module& m, std::vector<kernel_info>& kernels,
                           std::size_t shared_limit);

}  // namespace gpu_emulator
