// The passes of LLVM's code generator that kernels need.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/LegacyPassManager.h>

namespace sinter::codegen {

/// Hands on what a target adds to its pipeline, without the passes that do nothing for kernels.
/// Each would walk every function, and many want analyses made for them alone.
class pass_list : public llvm::legacy::PassManagerBase {
public:
    explicit pass_list(llvm::legacy::PassManagerBase& to) : to_(to) {}
    void add(llvm::Pass* pass) override;

private:
    bool needed(llvm::StringRef name);

    llvm::legacy::PassManagerBase& to_;
    bool allocates_tiles_ = true;  // the first register allocator is for registers of tiles
};

}  // namespace sinter::codegen
