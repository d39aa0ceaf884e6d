#include "compiler.hpp"

#include "access_word.hpp"
#include "instrument.hpp"
#include "prelude.hpp"
#include "vendor.hpp"

#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PreprocessorOptions.h>
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

constexpr const char* triple = "x86_64-unknown-linux-gnu";

/// With fused multiplication where there is such an instruction, else the library's.
const char* processor() { return __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3" : "x86-64"; }

std::unique_ptr<llvm::TargetMachine> make_machine(bool contract) {
    static std::once_flag once;
    std::call_once(once, [] {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
    });
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target) return nullptr;
    llvm::TargetOptions options;
    options.AllowFPOpFusion = contract ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Strict;
    // The quick way to instructions takes a fifth of the time, but fuses nothing.
    const auto level = contract ? llvm::CodeGenOptLevel::Less : llvm::CodeGenOptLevel::None;
    return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
        triple, processor(), "", options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
}

/// Notes the kernels as they are declared.
class kernel_list : public clang::ASTConsumer {
public:
    explicit kernel_list(std::vector<declared_kernel>& found) : found_(found) {}

    void HandleTranslationUnit(clang::ASTContext& context) override {
        for (clang::Decl* d : context.getTranslationUnitDecl()->decls()) visit(context, d);
    }

private:
    void visit(clang::ASTContext& context, clang::Decl* d) {
        if (auto* inside = llvm::dyn_cast<clang::LinkageSpecDecl>(d))
            for (clang::Decl* each : inside->decls()) visit(context, each);
        auto* f = llvm::dyn_cast<clang::FunctionDecl>(d);
        if (!f || !f->hasAttr<clang::CUDAGlobalAttr>() || !f->isThisDeclarationADefinition())
            return;
        declared_kernel& k = found_.emplace_back();
        k.name = f->getNameAsString();
        for (const clang::ParmVarDecl* p : f->parameters()) {
            const clang::QualType type = p->getType();
            const auto bytes = context.getTypeSizeInChars(type).getQuantity();
            const bool in_register = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
            k.parameters.push_back(
                {static_cast<uint32_t>(bytes),
                 static_cast<uint32_t>(context.getTypeAlignInChars(type).getQuantity()),
                 type->isRecordType() && !in_register});
        }
    }

    std::vector<declared_kernel>& found_;
};

class parse_action : public clang::EmitLLVMOnlyAction {
public:
    parse_action(llvm::LLVMContext& context, std::vector<declared_kernel>& found)
        : EmitLLVMOnlyAction(&context), found_(found) {}

protected:
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                          llvm::StringRef file) override {
        std::vector<std::unique_ptr<clang::ASTConsumer>> both;
        both.push_back(std::make_unique<kernel_list>(found_));
        both.push_back(EmitLLVMOnlyAction::CreateASTConsumer(instance, file));
        return std::make_unique<clang::MultiplexConsumer>(std::move(both));
    }

private:
    std::vector<declared_kernel>& found_;
};

std::unique_ptr<llvm::Module> parse(const compile_request& r, llvm::LLVMContext& context,
                                    std::vector<declared_kernel>& kernels,
                                    llvm::raw_string_ostream& log) {
    const std::string standard = "-std=" + r.standard,
                      contract = r.contract ? "-ffp-contract=fast" : "-ffp-contract=off";
    std::vector<const char*> arguments = {
        "-triple", triple, "-target-cpu", processor(), "-x", "cuda", "-fcuda-is-device",
        standard.c_str(), contract.c_str(), "-O1", "-disable-llvm-passes", "-relaxed-aliasing",
        "-debug-info-kind=line-tables-only", "-mrelocation-model", "pic", "-pic-level", "2",
        "-nostdsysteminc", "-nobuiltininc",
        // What the prelude's keywords mean on what they do not fit is no matter of the text's.
        "-Wno-ignored-attributes", "-Wno-unknown-cuda-version"};
    if (!r.warnings) arguments.push_back("-w");
    for (const std::string& d : r.defines) {
        arguments.push_back("-D");
        arguments.push_back(d.c_str());
    }

    const llvm::IntrusiveRefCntPtr options = new clang::DiagnosticOptions;
    options->ShowPresumedLoc = true;  // lines of the text, not of what is put before it
    auto printer = std::make_unique<clang::TextDiagnosticPrinter>(log, options.get());
    auto invocation = std::make_shared<clang::CompilerInvocation>();
    const auto diagnostics =
        clang::CompilerInstance::createDiagnostics(options.get(), printer.get(), false);
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, *diagnostics))
        return nullptr;
    const std::string text = "#line 1 \"" + std::string(prelude_name) + "\"\n#define warpSize " +
                             std::to_string(r.warp) + "\n" + common_prelude + r.prelude +
                             "#line 1 \"" + r.name + "\"\n" + r.text;
    const auto buffer = llvm::MemoryBuffer::getMemBuffer(text, r.name);
    invocation->getFrontendOpts().Inputs.clear();
    invocation->getFrontendOpts().Inputs.emplace_back(buffer->getMemBufferRef(),
                                                      clang::InputKind(clang::Language::CUDA));

    clang::CompilerInstance instance;
    instance.setInvocation(std::move(invocation));
    instance.createDiagnostics(printer.get(), false);
    instance.setVerboseOutputStream(log);
    parse_action action(context, kernels);
    if (!instance.ExecuteAction(action)) return nullptr;
    return action.takeModule();
}

/// Less than -O1 does: as much as makes most of a thread's variables registers, which is what the
/// checks cost time for. Texts are compiled longer than they run.
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
    const std::unique_ptr<llvm::TargetMachine> machine = make_machine(r.contract);
    const std::unique_ptr<llvm::Module> m = parse(r, context, declared, log);
    if (!m || !machine) return result;
    m->setDataLayout(machine->createDataLayout());
    image code;
    code.architecture = r.architecture;
    code.kernels = wrap_kernels(*m, declared);
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
