#include "core/compile/shared_variables.hpp"

#include <llvm/IR/Constants.h>

namespace gpu_emulator {

std::vector<llvm::GlobalVariable*> shared_variables(llvm::Module& m) {
    std::vector<llvm::GlobalVariable*> found;
    if (auto* list = m.getNamedGlobal("llvm.global.annotations")) {
        auto* entries = llvm::cast<llvm::ConstantArray>(list->getInitializer());
        for (llvm::Use& entry : entries->operands()) {
            auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(
                llvm::cast<llvm::ConstantStruct>(entry)->getOperand(0)->stripPointerCasts());
            if (variable) found.push_back(variable);
        }
    }
    for (llvm::GlobalVariable& v : m.globals())
        if (v.isDeclaration() && v.getName() != state_variable) found.push_back(&v);
    return found;
}

}  // namespace gpu_emulator
