// The variables of a module that are in shared memory.
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace gpu_emulator {

inline constexpr const char* state_variable = "gpu_emulator_state";

/// Returns true if the variable is declared with the size that the launch gives.
inline bool is_dynamic(const llvm::GlobalVariable& v) { return v.isDeclaration(); }

/// The prelude annotates definitions; declarations cannot be annotated, and are always shared
/// variables.
std::vector<llvm::GlobalVariable*> shared_variables(llvm::Module& m);

}  // namespace gpu_emulator
