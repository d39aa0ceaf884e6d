#include "core/compile/access_word.hpp"
#include "core/compile/instrument.hpp"
#include "core/compile/shared_variables.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>

#include <algorithm>
#include <set>

namespace gpu_emulator {
namespace {

constexpr unsigned shared_alignment = 16;

struct access {
    llvm::Instruction* instruction;
    unsigned operand;  // the index of the pointer
    access_kind kind;
    uint64_t bytes;  // 0: given by `length`
    llvm::Value* length = nullptr;
    llvm::Align alignment;
};

class checker {
public:
    checker(llvm::Module& m, std::size_t shared_limit)
        : m_(m), context_(m.getContext()), layout_(m.getDataLayout()), limit_(shared_limit) {
        for (llvm::GlobalVariable* v : shared_variables(m)) shared_.insert(v);
        if (auto* annotations = m.getNamedGlobal("llvm.global.annotations"))
            annotations->eraseFromParent();
        state_ = m.getNamedGlobal(state_variable);
        pointer_ = llvm::PointerType::get(context_, 0);
        word_ = llvm::Type::getInt64Ty(context_);
        const auto declare = [&](const char* name, llvm::Type* result,
                                 const std::vector<llvm::Type*>& parameters) {
            return m_.getOrInsertFunction(name, llvm::FunctionType::get(result, parameters, false));
        };
        llvm::Type* nothing = llvm::Type::getVoidTy(context_);
        for (const auto kind : {access_kind::read, access_kind::write, access_kind::atomic}) {
            const auto k = static_cast<std::size_t>(kind);
            generic_[k] =
                declare(access_functions[k], pointer_, {pointer_, pointer_, word_, word_});
            shared_check_[k] =
                declare(shared_functions[k], nothing, {pointer_, pointer_, word_, pointer_, word_});
        }
        object_ = declare(object_function, nothing, {pointer_, pointer_, word_, pointer_, word_});
    }

    std::string run(std::vector<kernel_info>& kernels) {
        // Instructions, unlike constants, can be replaced function by function.
        const std::vector<llvm::Constant*> constants(shared_.begin(), shared_.end());
        llvm::convertUsersOfConstantsToInstructions(constants);
        bool others_meet = false;
        std::vector<llvm::Function*> others;
        for (llvm::Function& f : m_) {
            if (f.isDeclaration()) continue;
            check(f);
            const auto is_it = [&](const kernel_info& k) { return k.name == f.getName(); };
            if (std::none_of(kernels.begin(), kernels.end(), is_it)) {
                others.push_back(&f);
                others_meet |= meets(f);
            }
        }
        for (kernel_info& k : kernels) {
            llvm::Function& f = *m_.getFunction(k.name);
            k.meets = others_meet || meets(f);
            k.shared_bytes = place_shared(f);
            if (k.shared_bytes > limit_)
                return "kernel " + k.name + " uses too much shared data (" +
                       std::to_string(k.shared_bytes) + " bytes, " + std::to_string(limit_) +
                       " max)";
        }
        for (llvm::Function* f : others)
            if (uses_shared(*f))
                return "the emulator cannot give shared memory to " + f->getName().str() +
                       ", which is not inlined";
        for (llvm::GlobalVariable* v : shared_)
            if (v->use_empty()) v->eraseFromParent();
        return "";
    }

private:
    static bool is_ours(const llvm::Function* f) {
        return f && f->isDeclaration() && f->getName().starts_with("gpu_emulator_");
    }

    static bool meets(llvm::Function& f) {
        for (llvm::Instruction& i : llvm::instructions(f)) {
            const auto* call = llvm::dyn_cast<llvm::CallInst>(&i);
            const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
            if (is_ours(callee) && callee->hasFnAttribute(llvm::Attribute::Convergent)) return true;
        }
        return false;
    }

    // ---- accesses

    std::vector<access> accesses_of(llvm::Function& f) {
        std::vector<access> found;
        const auto size = [&](llvm::Type* t) {
            return layout_.getTypeStoreSize(t).getFixedValue();
        };
        const auto add = [&](llvm::Instruction& i, unsigned operand, access_kind kind,
                             uint64_t bytes, llvm::Align alignment, llvm::Value* length = nullptr) {
            if (i.getOperand(operand)->getType()->getPointerAddressSpace() == 0)
                found.push_back({&i, operand, kind, bytes, length, alignment});
        };
        for (llvm::Instruction& i : llvm::instructions(f)) {
            if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
                add(i, 0, load->isAtomic() ? access_kind::atomic : access_kind::read,
                    size(load->getType()), load->getAlign());
            } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
                add(i, 1, store->isAtomic() ? access_kind::atomic : access_kind::write,
                    size(store->getValueOperand()->getType()), store->getAlign());
            } else if (auto* rmw = llvm::dyn_cast<llvm::AtomicRMWInst>(&i)) {
                add(i, 0, access_kind::atomic, size(rmw->getType()), rmw->getAlign());
            } else if (auto* swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&i)) {
                add(i, 0, access_kind::atomic, size(swap->getNewValOperand()->getType()),
                    swap->getAlign());
            } else if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&i)) {
                add(i, 0, access_kind::write, 0, copy->getDestAlign().valueOrOne(),
                    copy->getLength());
                add(i, 1, access_kind::read, 0, copy->getSourceAlign().valueOrOne(),
                    copy->getLength());
            } else if (auto* set = llvm::dyn_cast<llvm::MemSetInst>(&i)) {
                add(i, 0, access_kind::write, 0, set->getDestAlign().valueOrOne(),
                    set->getLength());
            }
        }
        return found;
    }

    void check(llvm::Function& f) {
        for (const access& a : accesses_of(f)) {
            llvm::Value* pointer = a.instruction->getOperand(a.operand);
            llvm::Value* object = llvm::getUnderlyingObject(pointer, 0);
            if (llvm::isa<llvm::AllocaInst>(object) || object == state_) continue;
            if (auto* call = llvm::dyn_cast<llvm::CallInst>(object);
                call && is_ours(call->getCalledFunction()))
                continue;
            llvm::IRBuilder<> b(a.instruction);
            llvm::Value* word =
                b.getInt64(access_word(log2_of(a.alignment), line_of(*a.instruction)));
            llvm::Value* length = a.length ? b.CreateZExtOrTrunc(a.length, word_)
                                           : static_cast<llvm::Value*>(b.getInt64(a.bytes));
            const auto k = static_cast<std::size_t>(a.kind);
            auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
            if (!variable) {
                llvm::Value* at = b.CreateCall(generic_[k], {state_, pointer, word, length});
                a.instruction->setOperand(a.operand, at);
                continue;
            }
            // The bounds of a variable are known here; the bytes go into the word with the line.
            llvm::Value* full = b.CreateOr(word, b.CreateShl(length, access_word_bits));
            if (shared_.count(variable) && is_dynamic(*variable)) {
                b.CreateCall(shared_check_[k], {state_, pointer, full, variable, b.getInt64(0)});
            } else {
                llvm::Value* extent =
                    b.getInt64(layout_.getTypeAllocSize(variable->getValueType()));
                if (shared_.count(variable))
                    b.CreateCall(shared_check_[k], {state_, pointer, full, variable, extent});
                else
                    b.CreateCall(object_, {state_, pointer, full, variable, extent});
            }
        }
    }

    static unsigned log2_of(llvm::Align a) { return llvm::Log2(a); }

    /// Returns the line in the text, ignoring the prelude.
    static unsigned line_of(const llvm::Instruction& i) {
        const llvm::DILocation* at = i.getDebugLoc().get();
        while (at && at->getFilename() == prelude_name && at->getInlinedAt())
            at = at->getInlinedAt();
        return at ? at->getLine() : 0;
    }

    // ---- shared memory

    static bool uses(const llvm::Function& f, const llvm::GlobalVariable& v) {
        return std::any_of(v.user_begin(), v.user_end(), [&](const llvm::User* u) {
            auto* i = llvm::dyn_cast<llvm::Instruction>(u);
            return i && i->getFunction() == &f;
        });
    }

    bool uses_shared(const llvm::Function& f) const {
        return std::any_of(shared_.begin(), shared_.end(),
                           [&](const llvm::GlobalVariable* v) { return uses(f, *v); });
    }

    /// Lays out the variables that `f` uses one after another. Returns where they end, which is
    /// where the variable of the launch's size begins.
    uint32_t place_shared(llvm::Function& f) {
        // In the module's order, with the variable of the launch's size last.
        std::vector<llvm::GlobalVariable*> used;
        for (const bool dynamic : {false, true})
            for (llvm::GlobalVariable& v : m_.globals())
                if (shared_.count(&v) && is_dynamic(v) == dynamic && uses(f, v)) used.push_back(&v);
        if (used.empty()) return 0;
        llvm::IRBuilder<> b(&*f.getEntryBlock().getFirstInsertionPt());
        llvm::Value* base = b.CreateLoad(
            pointer_, b.CreateConstGEP1_32(b.getInt8Ty(), state_, shared_member), "shared");
        uint32_t offset = 0;
        for (llvm::GlobalVariable* v : used) {
            const uint32_t alignment = std::max<uint32_t>(
                shared_alignment, static_cast<uint32_t>(v->getAlign().valueOrOne().value()));
            offset = (offset + alignment - 1) / alignment * alignment;
            llvm::Value* at = b.CreateConstGEP1_32(b.getInt8Ty(), base, offset);
            v->replaceUsesWithIf(at, [&](const llvm::Use& u) {
                auto* i = llvm::dyn_cast<llvm::Instruction>(u.getUser());
                return i && i->getFunction() == &f;
            });
            if (!is_dynamic(*v))
                offset += static_cast<uint32_t>(layout_.getTypeAllocSize(v->getValueType()));
        }
        return offset;
    }

    llvm::Module& m_;
    llvm::LLVMContext& context_;
    const llvm::DataLayout& layout_;
    const std::size_t limit_;
    std::set<llvm::GlobalVariable*> shared_;
    llvm::GlobalVariable* state_ = nullptr;
    llvm::Type *pointer_ = nullptr, *word_ = nullptr;
    llvm::FunctionCallee generic_[3], shared_check_[3], object_;
};

}  // namespace

std::string check_accesses(llvm::Module& m, std::vector<kernel_info>& kernels,
                           std::size_t shared_limit) {
    return checker(m, shared_limit).run(kernels);
}

}  // namespace gpu_emulator
