#include "jit/codegen/machine.hpp"

#include "jit/codegen/emit_kernel.hpp"
#include "jit/codegen/pass_list.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Target/TargetOptions.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <memory>
#include <mutex>
#include <stdexcept>

namespace sinter::codegen {
namespace {

struct level_info {
    const char* cpu;
    vector_shape shape;
};

level_info info(target level) {
    switch (level) {
        case target::x86_64_v3: return {"x86-64-v3", {256, false}};
        case target::x86_64_v4: return {"x86-64-v4", {512, true}};
        default: throw std::runtime_error("no code generator for this target level");
    }
}

/// One per level and process: making one costs as much as compiling a kernel. Leaked, as the
/// process may end while a thread compiles.
llvm::TargetMachine& machine(target level) {
    static llvm::TargetMachine *v3 = nullptr, *v4 = nullptr;
    llvm::TargetMachine*& machine = level == target::x86_64_v4 ? v4 : v3;
    if (machine) return *machine;
    static bool initialized = false;
    if (!initialized) {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        initialized = true;
    }
    const char* triple = "x86_64-unknown-linux-gnu";
    std::string error;
    const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!found) throw std::runtime_error(error);
    llvm::TargetOptions options;
    options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
    options.FunctionSections = true;
    options.DataSections = true;
    machine = found->createTargetMachine(triple, info(level).cpu, "", options, llvm::Reloc::PIC_,
                                         llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default);
    return *machine;
}

/// What is emitted depends on the kernel alone: builds for tests look at it, others trust it.
void verify([[maybe_unused]] llvm::Module& module) {
#ifndef NDEBUG
    std::string text;
    llvm::raw_string_ostream message(text);
    if (llvm::verifyModule(module, &message)) throw std::runtime_error("invalid LLVM IR: " + text);
#endif
}

/// The emitted code is already vectors and loops: what is left is common subexpressions, idioms and
/// invariants.
void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(
        llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()), true));
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::SimplifyCFGPass());
    for (llvm::Function& f : module)
        if (!f.isDeclaration()) passes.run(f, functions);
}

/// Loop strength reduction costs a third of a compilation and finds nothing here: addresses are
/// already a base, an index and a constant. Only an option of the process turns it off, and only
/// while a pipeline is put together is it read; it is put back at once.
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

/// From LLVM IR to an object. One per level and process: putting its passes together, and taking
/// them apart, is a seventh of a compilation. Of one module they keep nothing for the next.
class back_end {
public:
    explicit back_end(llvm::TargetMachine& machine) {
        const without_strength_reduction scope;
        pass_list list(passes_);
        if (machine.addPassesToEmitFile(list, stream_, nullptr, llvm::CodeGenFileType::ObjectFile))
            throw std::runtime_error("the target cannot write object code");
    }

    /// Valid until the next call.
    llvm::ArrayRef<char> run(llvm::Module& module) {
        object_.clear();
        passes_.run(module);
        return object_;
    }

private:
    llvm::SmallVector<char, 0> object_;
    llvm::raw_svector_ostream stream_{object_};
    llvm::legacy::PassManager passes_;
};

back_end& back_end_of(target level) {
    static back_end *v3 = nullptr, *v4 = nullptr;  // leaked, as the machines are
    back_end*& made = level == target::x86_64_v4 ? v4 : v3;
    if (!made) made = new back_end(machine(level));
    return *made;
}

std::vector<compiled> compile_module(const std::vector<kernel_ir::kernel>& kernels, target level,
                                     uint32_t mode) {
    llvm::TargetMachine& target_machine = machine(level);
    llvm::LLVMContext context;
    llvm::Module module("kernels", context);
    module.setTargetTriple(target_machine.getTargetTriple().str());
    module.setDataLayout(target_machine.createDataLayout());
    module.setPICLevel(llvm::PICLevel::BigPIC);
    emit_options options{info(level).shape, info(level).cpu, mode};
    auto name = [](std::size_t n) { return "kernel." + std::to_string(n); };
    for (std::size_t n = 0; n < kernels.size(); ++n)
        emit_kernel(module, kernels[n], options, name(n));
    verify(module);
    optimize(module, target_machine);

    const llvm::ArrayRef<char> object = back_end_of(level).run(module);
    std::vector<compiled> out;
    const auto* bytes = reinterpret_cast<const uint8_t*>(object.data());
    for (std::size_t n = 0; n < kernels.size(); ++n)
        out.push_back({link_image(bytes, object.size(), name(n)), {}});
    return out;
}

}  // namespace

std::vector<compiled> compile(const std::vector<kernel_ir::kernel>& kernels, target level,
                              uint32_t mode) {
    static std::mutex one_at_a_time;  // a TargetMachine is not thread safe
    std::lock_guard lock(one_at_a_time);
    try {
        return compile_module(kernels, level, mode);
    } catch (const std::exception& e) {
        if (kernels.size() == 1) return {{{}, e.what()}};
    }
    std::vector<compiled> out;
    for (const kernel_ir::kernel& k : kernels) {
        try {
            out.push_back(std::move(compile_module({k}, level, mode).front()));
        } catch (const std::exception& e) {
            out.push_back({{}, e.what()});
        }
    }
    return out;
}

const char* llvm_version() { return LLVM_VERSION_STRING; }

}  // namespace sinter::codegen
