// The levels of sinter_llvm_cross.so: those of other processors, for `sinter cache build`.
#include "jit/codegen/llvm/level.hpp"

#include <llvm/Support/TargetSelect.h>

#include <stdexcept>

namespace sinter::codegen {

level_info info(target level) {
    if (level != target::aarch64)
        throw std::runtime_error("there is no code generator for this target level");
    // NEON. In the tiny model constants are at most 1 MiB away, whatever page an image begins in.
    return {"aarch64-unknown-linux-gnu", "generic", {128, false}, llvm::CodeModel::Tiny, true};
}

void initialize_targets() {
    static const bool initialized = [] {
        LLVMInitializeAArch64TargetInfo();
        LLVMInitializeAArch64Target();
        LLVMInitializeAArch64TargetMC();
        LLVMInitializeAArch64AsmPrinter();
        return true;
    }();
    (void)initialized;
}

}  // namespace sinter::codegen
