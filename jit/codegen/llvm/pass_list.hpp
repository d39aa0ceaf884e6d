// The passes of LLVM's code generator that kernels need.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/Target/TargetMachine.h>

namespace sinter::codegen {

/// The attribute of functions whose instructions are selected in whole blocks (SelectionDAG). Those
/// of all others are selected one by one where possible (FastISel), in a third of the time. In
/// loads, arithmetic and stores that finds the same instructions. In formulas of functions it finds
/// slower ones: it sees neither a negated factor of an fma nor three operands of a bit operation.
/// It also computes the address of a prefetch apart, and makes slower loops over bytes.
inline constexpr const char* selects_in_blocks = "sinter-selects-in-blocks";

/// The attribute of functions that are emitted as they should be: maps over dense rows without
/// formulas. Idioms and invariants are not looked for in them, and instructions are not scheduled:
/// it made none of them faster.
inline constexpr const char* is_plain = "sinter-plain";

/// Passes on the passes that a target adds to its pipeline, except those that do nothing for
/// kernels. Each of those would walk every function, and many need analyses that nothing else uses.
/// How instructions are selected, and whether they are scheduled, is set for each function.
class pass_list : public llvm::legacy::PassManagerBase {
public:
    pass_list(llvm::legacy::PassManagerBase& to, llvm::TargetMachine& machine)
        : to_(to), machine_(machine) {}
    void add(llvm::Pass* pass) override;

private:
    bool needed(llvm::StringRef name);

    llvm::legacy::PassManagerBase& to_;
    llvm::TargetMachine& machine_;
    bool allocates_tiles_ = true;  // the first register allocator handles tile registers
};

}  // namespace sinter::codegen
