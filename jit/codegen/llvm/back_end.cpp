#include "jit/codegen/llvm/back_end.hpp"

#include "jit/codegen/llvm/pass_list.hpp"

#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <stdexcept>
#include <string>

namespace sinter::codegen {
namespace {

std::unique_ptr<llvm::TargetMachine> make_machine(const level_info& level) {
    initialize_targets();
    std::string error;
    const llvm::Target* found = llvm::TargetRegistry::lookupTarget(level.triple, error);
    if (!found) throw std::runtime_error(error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    options.FunctionSections = true;
    options.DataSections = true;
    return std::unique_ptr<llvm::TargetMachine>(
        found->createTargetMachine(level.triple, level.cpu, "", options, llvm::Reloc::PIC_,
                                   level.model, llvm::CodeGenOptLevel::Default));
}

/// Turns off loop strength reduction, which takes a third of a compilation and finds nothing here:
/// addresses are already a base, an index and a constant. Only a process-wide option turns it off.
/// It is read while a pipeline is built, and restored right after.
class without_strength_reduction {
public:
    without_strength_reduction() {
        auto& options = llvm::cl::getRegisteredOptions();
        auto found = options.find("disable-lsr");
        if (found == options.end()) return;
        option_ = static_cast<llvm::cl::opt<bool>*>(found->second);
        before_ = option_->getValue();
        option_->setValue(true);
    }
    ~without_strength_reduction() {
        if (option_) option_->setValue(before_);
    }
    without_strength_reduction(const without_strength_reduction&) = delete;
    without_strength_reduction& operator=(const without_strength_reduction&) = delete;

private:
    llvm::cl::opt<bool>* option_ = nullptr;
    bool before_ = false;
};

/// Checks the emitted module. It depends on the kernel alone, so debug builds test it and release
/// builds trust it.
void verify([[maybe_unused]] llvm::Module& module) {
#ifndef NDEBUG
    std::string text;
    llvm::raw_string_ostream message(text);
    if (llvm::verifyModule(module, &message))
        throw std::runtime_error("the LLVM IR is invalid: " + text);
#endif
}

}  // namespace

back_end::back_end(const level_info& level)
    : machine_(make_machine(level)), all_passes_(level.all_passes) {
    llvm::PassBuilder builder(machine_.get());
    builder.registerModuleAnalyses(modules_);
    builder.registerCGSCCAnalyses(components_);
    builder.registerFunctionAnalyses(functions_);
    builder.registerLoopAnalyses(loops_);
    builder.crossRegisterProxies(loops_, functions_, components_, modules_);
    // The emitted code is already vectors and loops. Common subexpressions, idioms and invariants
    // are left to optimise.
    passes_.addPass(llvm::EarlyCSEPass());
    passes_.addPass(llvm::InstCombinePass());
    passes_.addPass(
        llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
    passes_.addPass(llvm::SimplifyCFGPass());
    plain_passes_.addPass(llvm::EarlyCSEPass());
    plain_passes_.addPass(llvm::SimplifyCFGPass());

    const without_strength_reduction scope;
    pass_list some(machine_passes_, *machine_);
    llvm::PassManagerBase& list =
        level.all_passes ? static_cast<llvm::PassManagerBase&>(machine_passes_) : some;
    if (machine_->addPassesToEmitFile(list, stream_, nullptr, llvm::CodeGenFileType::ObjectFile))
        throw std::runtime_error("the target cannot write object code");
}

void back_end::prepare(llvm::Module& module) const {
    module.setTargetTriple(machine_->getTargetTriple().str());
    module.setDataLayout(machine_->createDataLayout());
    module.setPICLevel(llvm::PICLevel::BigPIC);
}

void back_end::optimize(llvm::Module& module) {
    for (llvm::Function& f : module)
        if (!f.isDeclaration())
            (f.hasFnAttribute(is_plain) && !all_passes_ ? plain_passes_ : passes_)
                .run(f, functions_);
    // The analyses refer to functions that are about to be deleted.
    loops_.clear();
    functions_.clear();
    components_.clear();
    modules_.clear();
}

llvm::ArrayRef<char> back_end::run(llvm::Module& module) {
    verify(module);
    optimize(module);
    object_.clear();
    machine_passes_.run(module);
    return object_;
}

}  // namespace sinter::codegen
