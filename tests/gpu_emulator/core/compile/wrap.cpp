#include "core/compile/instrument.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include "core/compile/shared_variables.hpp"

namespace gpu_emulator {
namespace {

/// Parameters are read through a separate address space, so that passes recognise them. On the host
/// it is the same memory.
constexpr unsigned parameter_space = 1;

void wrap(llvm::Module& m, llvm::Function& body, const declared_kernel& k, kernel_info& info) {
    llvm::LLVMContext& context = m.getContext();
    body.setName(k.name + ".body");
    body.setLinkage(llvm::GlobalValue::InternalLinkage);
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                         {llvm::PointerType::get(context, parameter_space)}, false);
    auto* wrapper = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, k.name, m);
    wrapper->copyAttributesFrom(&body);
    wrapper->setAttributes(
        llvm::AttributeList::get(context, llvm::AttributeList::FunctionIndex,
                                 llvm::AttrBuilder(context, body.getAttributes().getFnAttrs())));
    wrapper->setCallingConv(llvm::CallingConv::C);
    wrapper->removeFnAttr(llvm::Attribute::AlwaysInline);

    llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", wrapper));
    std::vector<llvm::Value*> arguments;
    uint32_t offset = 0;
    for (std::size_t p = 0; p < k.parameters.size(); ++p) {
        const auto& [bytes, alignment, by_address] = k.parameters[p];
        offset = (offset + alignment - 1) / alignment * alignment;
        info.sizes.push_back(bytes);
        info.offsets.push_back(offset);
        llvm::Value* from = b.CreateConstGEP1_32(b.getInt8Ty(), wrapper->getArg(0), offset);
        const llvm::Align align(alignment);
        if (by_address) {
            llvm::AllocaInst* copy = b.CreateAlloca(llvm::ArrayType::get(b.getInt8Ty(), bytes));
            copy->setAlignment(align);
            b.CreateMemCpy(copy, align, from, align, bytes);
            arguments.push_back(copy);
        } else {
            arguments.push_back(
                b.CreateAlignedLoad(body.getArg(static_cast<unsigned>(p))->getType(), from, align));
        }
        offset += bytes;
    }
    info.parameter_bytes = offset;
    llvm::CallInst* call = b.CreateCall(&body, arguments);
    call->setCallingConv(body.getCallingConv());
    if (body.getSubprogram()) {
        // A call between functions with debug lines must have a line.
        wrapper->setSubprogram(nullptr);
    }
    b.CreateRetVoid();
}

}  // namespace

std::vector<kernel_info> wrap_kernels(llvm::Module& m,
                                      const std::vector<declared_kernel>& kernels) {
    for (llvm::GlobalVariable* v : shared_variables(m)) {
        // Not internal, or LLVM would see all its uses and optimise on that.
        if (!v->hasLocalLinkage()) continue;
        v->setLinkage(llvm::GlobalValue::ExternalLinkage);
        v->setDSOLocal(true);
    }
    for (llvm::Function& f : m) {
        if (f.isDeclaration()) continue;
        // This attribute keeps LLVM from moving loads to where the program has none.
        f.addFnAttr(llvm::Attribute::SanitizeThread);
        if (!f.hasFnAttribute(llvm::Attribute::NoInline)) {
            f.addFnAttr(llvm::Attribute::AlwaysInline);
            f.removeFnAttr(llvm::Attribute::InlineHint);
        }
        f.setLinkage(llvm::GlobalValue::InternalLinkage);
        f.setComdat(nullptr);
    }
    std::vector<kernel_info> infos;
    for (const declared_kernel& k : kernels) {
        llvm::Function* body = m.getFunction(k.name);
        if (!body || body->isDeclaration()) continue;
        infos.emplace_back().name = k.name;
        infos.back().bound = k.bound;
        wrap(m, *body, k, infos.back());
    }
    return infos;
}

}  // namespace gpu_emulator
