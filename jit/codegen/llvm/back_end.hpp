// LLVM's part of a compilation, set up once: a module in, an object out.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>

namespace sinter::codegen {

/// For one module at a time. Putting its passes together and taking them apart costs as much as
/// compiling a kernel, and of one module it keeps nothing for the next.
class back_end {
public:
    /// Of a processor that LLVM knows. Changes an option of the process while it runs: two must
    /// not be made at once. Throws std::runtime_error.
    explicit back_end(const char* cpu);
    back_end(const back_end&) = delete;

    /// Makes an empty module one of this machine.
    void prepare(llvm::Module& module) const;

    /// Valid until the next call.
    llvm::ArrayRef<char> run(llvm::Module& module);

private:
    void optimize(llvm::Module& module);

    std::unique_ptr<llvm::TargetMachine> machine_;
    llvm::LoopAnalysisManager loops_;
    llvm::FunctionAnalysisManager functions_;
    llvm::CGSCCAnalysisManager components_;
    llvm::ModuleAnalysisManager modules_;
    llvm::FunctionPassManager passes_;
    llvm::SmallVector<char, 0> object_;
    llvm::raw_svector_ostream stream_{object_};
    llvm::legacy::PassManager machine_passes_;
};

}  // namespace sinter::codegen
