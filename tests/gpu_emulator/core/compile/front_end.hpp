// Parses kernel text to LLVM IR, by clang.
#pragma once

#include "core/compile/compiler.hpp"
#include "core/compile/instrument.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>

namespace gpu_emulator {

constexpr const char* target_triple = "x86_64-unknown-linux-gnu";

/// Returns a processor with FMA instructions if possible; otherwise FMA is a library call.
const char* target_processor();

/// Returns null if the text has errors; the log has them. `kernels` receives those that it defines.
std::unique_ptr<llvm::Module> parse(const compile_request& r, llvm::LLVMContext& context,
                                    std::vector<declared_kernel>& kernels,
                                    llvm::raw_string_ostream& log);

}  // namespace gpu_emulator
