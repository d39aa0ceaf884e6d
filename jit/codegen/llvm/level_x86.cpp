// The levels of sinter_llvm.so: those of the processors that the library itself runs on.
#include "jit/codegen/llvm/level.hpp"

#include <llvm/Support/TargetSelect.h>

#include <stdexcept>

namespace sinter::codegen {

level_info info(target level) {
    constexpr const char* triple = "x86_64-unknown-linux-gnu";
    switch (level) {
        case target::x86_64_v3:
            return {triple, "x86-64-v3", {256, false}, llvm::CodeModel::Small, false};
        case target::x86_64_v4:
            return {triple, "x86-64-v4", {512, true}, llvm::CodeModel::Small, false};
        default: throw std::runtime_error("there is no code generator for this target level");
    }
}

void initialize_targets() {
    static const bool initialized = [] {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86Target();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86AsmPrinter();
        return true;
    }();
    (void)initialized;
}

}  // namespace sinter::codegen
