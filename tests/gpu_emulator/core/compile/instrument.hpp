// Passes over a module of kernels before and after LLVM's passes.
#pragma once

#include "core/compile/image.hpp"

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
        bool by_address;  // LLVM's parameter is the address of the bytes
    };
    std::vector<parameter> parameters;
    uint32_t bound = 0;  // threads of a block, by its launch bounds; 0: it has none
};

/// Gives each kernel a wrapper of the same name that takes the parameters as bytes, and keeps LLVM
/// from assuming that a thread runs alone.
std::vector<kernel_info> wrap_kernels(llvm::Module& m, const std::vector<declared_kernel>& kernels);

/// Adds a check before every memory access except those to a thread's stack, and lays out shared
/// memory. Returns what is wrong, or an empty text.
std::string check_accesses(llvm::Module& m, std::vector<kernel_info>& kernels,
                           std::size_t shared_limit);

}  // namespace gpu_emulator
