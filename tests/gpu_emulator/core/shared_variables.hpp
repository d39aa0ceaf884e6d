// Which variables of a module lie in the shared memory of blocks.
#pragma once

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <vector>

namespace gpu_emulator {

inline constexpr const char* state_variable = "gpu_emulator_state";

/// Declared with the size that the launch gives.
inline bool is_dynamic(const llvm::GlobalVariable& v) { return v.isDeclaration(); }

/// The prelude annotates them; declarations, which cannot be, are nothing else.
std::vector<llvm::GlobalVariable*> shared_variables(llvm::Module& m);

}  // namespace gpu_emulator
