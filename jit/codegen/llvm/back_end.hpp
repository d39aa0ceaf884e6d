// LLVM's part of a compilation: a module in, an object out. Set up once.
#pragma once

#include "jit/codegen/llvm/level.hpp"

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

/// Compiles one module at a time and keeps nothing of it. It is reused because building and
/// destroying its passes costs as much as compiling a kernel.
class back_end {
public:
    /// The constructor temporarily changes a process-wide
    /// option, so two must not run at once. Throws std::runtime_error.
    explicit back_end(const level_info& level);
    back_end(const back_end&) = delete;

    /// Sets the target of an empty module to this machine.
    void prepare(llvm::Module& module) const;

    /// Compiles the module and returns the object file, valid until the next call.
    llvm::ArrayRef<char> run(llvm::Module& module);

private:
    void optimize(llvm::Module& module);

    std::unique_ptr<llvm::TargetMachine> machine_;
    bool all_passes_;
    llvm::LoopAnalysisManager loops_;
    llvm::FunctionAnalysisManager functions_;
    llvm::CGSCCAnalysisManager components_;
    llvm::ModuleAnalysisManager modules_;
    llvm::FunctionPassManager passes_, plain_passes_;  // the latter for plain functions
    llvm::SmallVector<char, 0> object_;
    llvm::raw_svector_ostream stream_{object_};
    llvm::legacy::PassManager machine_passes_;
};

}  // namespace sinter::codegen
