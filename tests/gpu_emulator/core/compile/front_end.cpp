#include "core/compile/front_end.hpp"

#include "core/compile/access_word.hpp"
#include "core/compile/beginnings.hpp"
#include "core/compile/prelude.hpp"

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
#include <clang/Serialization/ASTWriter.h>
#include <clang/Serialization/PCHContainerOperations.h>
#include <llvm/Support/VirtualFileSystem.h>

#include <algorithm>
#include <map>

namespace gpu_emulator {
namespace {

constexpr const char* precompiled_name = "/beginning.pch";

/// Records the kernels as they are declared.
class kernel_list : public clang::ASTConsumer {
public:
    explicit kernel_list(std::vector<declared_kernel>& found) : found_(found) {}

    void Initialize(clang::ASTContext& context) override { context_ = &context; }

    bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
        for (clang::Decl* d : group) visit(d);
        return true;
    }

private:
    void visit(clang::Decl* d) {
        if (auto* inside = llvm::dyn_cast<clang::LinkageSpecDecl>(d))
            for (clang::Decl* each : inside->decls()) visit(each);
        if (auto* inside = llvm::dyn_cast<clang::NamespaceDecl>(d))
            for (clang::Decl* each : inside->decls()) visit(each);
        auto* f = llvm::dyn_cast<clang::FunctionDecl>(d);
        if (!f || !f->hasAttr<clang::CUDAGlobalAttr>() || !f->isThisDeclarationADefinition())
            return;
        declared_kernel& k = found_.emplace_back();
        k.name = f->getNameAsString();
        if (const auto* bounds = f->getAttr<clang::CUDALaunchBoundsAttr>())
            k.bound = static_cast<uint32_t>(
                bounds->getMaxThreads()->EvaluateKnownConstInt(*context_).getZExtValue());
        for (const clang::ParmVarDecl* p : f->parameters()) {
            const clang::QualType type = p->getType();
            const auto bytes = context_->getTypeSizeInChars(type).getQuantity();
            const bool in_register = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
            k.parameters.push_back(
                {static_cast<uint32_t>(bytes),
                 static_cast<uint32_t>(context_->getTypeAlignInChars(type).getQuantity()),
                 type->isRecordType() && !in_register});
        }
    }

    std::vector<declared_kernel>& found_;
    clang::ASTContext* context_ = nullptr;
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

/// Builds a precompiled header in memory.
class precompile_action : public clang::ASTFrontendAction {
public:
    std::string take() const {
        return made_->IsComplete ? std::string(made_->Data.data(), made_->Data.size()) : "";
    }

protected:
    bool BeginSourceFileAction(clang::CompilerInstance& instance) override {
        instance.getLangOpts().CompilingPCH = true;
        return true;
    }
    clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
    bool hasASTFileSupport() const override { return false; }
    std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& instance,
                                                          llvm::StringRef) override {
        return std::make_unique<clang::PCHGenerator>(
            instance.getPreprocessor(), instance.getModuleCache(), precompiled_name, "", made_,
            instance.getFrontendOpts().ModuleFileExtensions, false, false);
    }

private:
    std::shared_ptr<clang::PCHBuffer> made_ = std::make_shared<clang::PCHBuffer>();
};

std::vector<std::string> arguments_of(const compile_request& r) {
    std::vector<std::string> arguments = {
        "-triple", target_triple, "-target-cpu", target_processor(), "-x", "cuda",
        "-fcuda-is-device", "-std=" + r.standard,
        r.contract ? "-ffp-contract=fast" : "-ffp-contract=off", "-O1", "-disable-llvm-passes",
        "-disable-lifetime-markers", "-relaxed-aliasing", "-debug-info-kind=line-tables-only",
        "-mrelocation-model", "pic", "-pic-level", "2", "-nostdsysteminc", "-nobuiltininc",
        // A text is not responsible for warnings about the prelude's keywords.
        "-Wno-ignored-attributes", "-Wno-unknown-cuda-version"};
    if (!r.warnings) arguments.push_back("-w");
    for (const std::string& d : r.defines) {
        arguments.push_back("-D");
        arguments.push_back(d);
    }
    return arguments;
}

/// Returns null if the arguments are wrong.
std::shared_ptr<clang::CompilerInvocation> invocation_of(const std::vector<std::string>& arguments,
                                                         llvm::raw_ostream& log) {
    const llvm::IntrusiveRefCntPtr options = new clang::DiagnosticOptions;
    clang::TextDiagnosticPrinter printer(log, options.get());
    const auto diagnostics =
        clang::CompilerInstance::createDiagnostics(options.get(), &printer, false);
    std::vector<const char*> words;
    for (const std::string& a : arguments) words.push_back(a.c_str());
    auto made = std::make_shared<clang::CompilerInvocation>();
    return clang::CompilerInvocation::CreateFromArgs(*made, words, *diagnostics) ? made : nullptr;
}

/// The settings, besides its text, that decide how a text is parsed, and the known beginnings of
/// texts.
struct manner {
    std::string prelude;
    std::shared_ptr<const clang::CompilerInvocation> invocation;
    beginnings known;
};

/// It is no constant to the vendors' compilers, and the size of no array.
std::string warp_size(int lanes) {
    return "static inline __attribute__((device, always_inline)) int __emulated_width() { return " +
           std::to_string(lanes) + "; }\n#define warpSize __emulated_width()\n";
}

manner& manner_of(const compile_request& r) {
    static std::mutex mutex;
    static auto& all = *new std::map<std::vector<std::string>, manner>;
    std::vector<std::string> key = arguments_of(r);
    key.push_back("#line 1 \"" + std::string(prelude_name) + "\"\n" + warp_size(r.warp) +
                  common_prelude + r.prelude + "#line 1 \"" + r.name + "\"\n");
    const std::lock_guard lock(mutex);
    manner& m = all[key];
    if (m.prelude.empty()) {
        m.prelude = key.back();
        m.invocation = invocation_of(arguments_of(r), llvm::nulls());
    }
    return m;
}

/// Runs clang over a text, after an already parsed beginning if there is one.
bool run(const clang::CompilerInvocation& invocation, const std::string& text,
         const std::string& name, const std::string& parsed, clang::FrontendAction& action,
         llvm::raw_ostream& log) {
    const llvm::IntrusiveRefCntPtr options = new clang::DiagnosticOptions;
    options->ShowPresumedLoc = true;  // lines of the text, not counting the prelude
    clang::TextDiagnosticPrinter printer(log, options.get());
    auto own = std::make_shared<clang::CompilerInvocation>(invocation);
    const auto buffer = llvm::MemoryBuffer::getMemBuffer(text, name);
    own->getFrontendOpts().Inputs.clear();
    own->getFrontendOpts().Inputs.emplace_back(buffer->getMemBufferRef(),
                                               clang::InputKind(clang::Language::CUDA));
    const llvm::IntrusiveRefCntPtr files = new llvm::vfs::InMemoryFileSystem;
    if (!parsed.empty()) {
        files->addFile(precompiled_name, 0,
                       llvm::MemoryBuffer::getMemBuffer(parsed, precompiled_name, false));
        clang::PreprocessorOptions& o = own->getPreprocessorOpts();
        o.ImplicitPCHInclude = precompiled_name;
        // The header was made here, with the same arguments, and contains their macros.
        o.DisablePCHOrModuleValidation = clang::DisableValidationForModuleKind::All;
        o.UsePredefines = false;
    }
    clang::CompilerInstance instance;
    instance.setInvocation(std::move(own));
    instance.createDiagnostics(&printer, false);
    instance.setVerboseOutputStream(log);
    instance.createFileManager(files);
    return instance.ExecuteAction(action);
}

}  // namespace

const char* target_processor() {
    return __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3" : "x86-64";
}

std::unique_ptr<llvm::Module> parse(const compile_request& r, llvm::LLVMContext& context,
                                    std::vector<declared_kernel>& kernels,
                                    llvm::raw_string_ostream& log) {
    manner& m = manner_of(r);
    if (!m.invocation) {
        invocation_of(arguments_of(r), log);
        return nullptr;
    }
    // If warnings are requested, the whole text is parsed.
    std::shared_ptr<const beginning> known;
    if (!r.warnings)
        known = m.known.of(r.text, [&](const std::string& text) {
            precompile_action action;
            run(*m.invocation, m.prelude + text, r.name, "", action, llvm::nulls());
            return action.take();
        });
    if (known) {
        const auto line = 1 + std::count(known->text.begin(), known->text.end(), '\n');
        const std::string rest = "#line " + std::to_string(line) + " \"" + r.name + "\"\n" +
                                 r.text.substr(known->text.size());
        parse_action action(context, kernels);
        if (run(*m.invocation, rest, r.name, known->parsed, action, llvm::nulls()))
            return action.takeModule();
        kernels.clear();  // errors are reported for the whole text
    }
    parse_action action(context, kernels);
    if (!run(*m.invocation, m.prelude + r.text, r.name, "", action, log)) return nullptr;
    return action.takeModule();
}

}  // namespace gpu_emulator
