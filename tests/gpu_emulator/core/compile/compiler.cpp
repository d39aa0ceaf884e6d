#include "core/compile/compiler.hpp"

#include "core/base/vendor.hpp"
#include "core/compile/access_word.hpp"
#include "core/compile/front_end.hpp"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <mutex>

namespace gpu_emulator {
namespace {

std::unique_ptr<llvm::TargetMachine> make_machine(bool contract) {
    static std::once_flag once;
    std::call_once(once, [] {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
    });
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(target_triple, error);
    if (!target) return nullptr;
    llvm::TargetOptions options;
    options.AllowFPOpFusion = contract ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Strict;
    // Fast instruction selection takes a fifth of the time, but fuses nothing.
    const auto level = contract ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::None;
    return std::unique_ptr<llvm::TargetMachine>(
        target->createTargetMachine(target_triple, target_processor(), "", options,
                                    llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
}

/// Does less than -O1: just enough to keep most of a thread's variables in registers, since each
/// memory access costs a check. Compiling a text takes longer than running it.
void optimise(llvm::Module& m, llvm::TargetMachine& machine) {
    llvm::PassBuilder builder(&machine);
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager components;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    llvm::FunctionPassManager first, then;
    first.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    first.addPass(llvm::EarlyCSEPass());
    then.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
    then.addPass(llvm::EarlyCSEPass());
    then.addPass(llvm::SimplifyCFGPass());
    then.addPass(llvm::InstSimplifyPass());
    then.addPass(llvm::ADCEPass());
    llvm::ModulePassManager passes;
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(first)));
    passes.addPass(llvm::AlwaysInlinerPass());
    passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(then)));
    passes.run(m, modules);
}

std::string emit(llvm::Module& m, llvm::TargetMachine& machine) {
    llvm::SmallVector<char, 0> object;
    llvm::raw_svector_ostream stream(object);
    llvm::legacy::PassManager passes;
    if (machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
        return "";
    passes.run(m);
    return {object.data(), object.size()};
}

}  // namespace

compile_result compile(const compile_request& r) {
    compile_result result;
    llvm::raw_string_ostream log(result.log);
    llvm::LLVMContext context;
    std::vector<declared_kernel> declared;
    // One per thread, as it caches knowledge of the processor.
    thread_local std::unique_ptr<llvm::TargetMachine> machines[2];
    std::unique_ptr<llvm::TargetMachine>& machine = machines[r.contract ? 1 : 0];
    if (!machine) machine = make_machine(r.contract);
    const std::unique_ptr<llvm::Module> m = parse(r, context, declared, log);
    if (!m || !machine) return result;
    m->setDataLayout(machine->createDataLayout());
    image code;
    code.architecture = r.architecture;
    code.release = r.release;
    code.kernels = wrap_kernels(*m, declared);
    for (const kernel_info& k : code.kernels) {
        if (k.parameter_bytes <= r.most_parameters) continue;
        log << "error: formal parameter space overflowed (" << k.parameter_bytes
            << " bytes required, max " << r.most_parameters << " bytes allowed) in function "
            << k.name << "\n";
        return result;
    }
    optimise(*m, *machine);
    if (const std::string wrong = check_accesses(*m, code.kernels, vendor.shared_memory);
        !wrong.empty()) {
        log << "error: " << wrong << "\n";
        return result;
    }
    llvm::StripDebugInfo(*m);
    code.object = emit(*m, *machine);
    if (code.object.empty())
        log << "error: no code was emitted\n";
    else
        result.code = write_image(code);
    return result;
}

}  // namespace gpu_emulator
