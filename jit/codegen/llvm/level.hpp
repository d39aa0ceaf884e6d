// The target levels of a plugin: one file for each plugin defines them.
#pragma once

#include "jit/codegen/llvm/emit_lanes.hpp"
#include "jit/codegen/protocol.hpp"

#include <llvm/Support/CodeGen.h>

namespace sinter::codegen {

/// What a level is to LLVM, and what shapes its code.
struct level_info {
    const char* triple;
    const char* cpu;
    vector_shape shape;
    llvm::CodeModel::Model model;  // one whose references are PC-relative, at any address
    bool all_passes;               // false: those that pass_list.hpp passes on
};

/// Throws std::runtime_error for a level that this plugin does not compile for.
level_info info(target level);

/// Registers the levels' targets with LLVM, once.
void initialize_targets();

}  // namespace sinter::codegen
