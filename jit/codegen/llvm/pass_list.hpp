// The passes of LLVM's code generator that kernels need.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/LegacyPassManager.h>

namespace sinter::codegen {

/// Passes on the passes that a target adds to its pipeline, except those that do nothing for
/// kernels. Each of those would walk every function, and many need analyses that nothing else uses.
class pass_list : public llvm::legacy::PassManagerBase {
public:
    explicit pass_list(llvm::legacy::PassManagerBase& to) : to_(to) {}
    void add(llvm::Pass* pass) override;

private:
    bool needed(llvm::StringRef name);

    llvm::legacy::PassManagerBase& to_;
    bool allocates_tiles_ = true;  // the first register allocator handles tile registers
};

}  // namespace sinter::codegen
