#include "jit/codegen/llvm/emit_value.hpp"

#include <sinter/math/tables/tables.hpp>

#include <llvm/ADT/bit.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/PatternMatch.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace sinter::codegen {

using kernel_ir::opcode;
using llvm::Type;
using llvm::Value;
using llvm::Intrinsic::ID;

namespace {

unsigned width_of(const Value* v) {
    auto* t = llvm::dyn_cast<llvm::FixedVectorType>(v->getType());
    return t ? t->getNumElements() : 0;
}

bool is_unsigned(mtype t) { return t == mtype::u8 || t == mtype::b1; }

}  // namespace

// ---- types and constants

Type* value_emitter::type(mtype t) const {
    switch (t) {
        case mtype::b1: return b_.getInt1Ty();
        case mtype::u8: return b_.getInt8Ty();
        case mtype::i32: return b_.getInt32Ty();
        case mtype::i64: return b_.getInt64Ty();
        case mtype::f32: return b_.getFloatTy();
        case mtype::f64: return b_.getDoubleTy();
    }
    throw std::runtime_error("the machine type is unknown");
}

Type* value_emitter::memory_type(ScalarType t) const {
    if (t == kHalf) return b_.getHalfTy();
    if (t == kBool || kernel_ir::is_narrow(t))
        return b_.getIntNTy(static_cast<unsigned>(8 * elementSize(t)));
    return type(kernel_ir::compute_type(t));
}

Value* value_emitter::constant(mtype t, uint64_t bits) const {
    switch (t) {
        case mtype::b1: return b_.getInt1((bits & 1) != 0);
        case mtype::u8: return b_.getInt8(static_cast<uint8_t>(bits));
        case mtype::i32: return b_.getInt32(static_cast<uint32_t>(bits));
        case mtype::i64: return b_.getInt64(bits);
        case mtype::f32: {
            llvm::APInt word(32, bits & 0xffffffffu);
            return llvm::ConstantFP::get(b_.getContext(),
                                         llvm::APFloat(llvm::APFloat::IEEEsingle(), word));
        }
        case mtype::f64: {
            llvm::APInt word(64, bits);
            return llvm::ConstantFP::get(b_.getContext(),
                                         llvm::APFloat(llvm::APFloat::IEEEdouble(), word));
        }
    }
    throw std::runtime_error("the machine type is unknown");
}

Type* value_emitter::like(Type* scalar, Value* shape) const {
    unsigned width = width_of(shape);
    return width ? llvm::FixedVectorType::get(scalar, width) : scalar;
}

Value* value_emitter::splat(Value* v, unsigned width) {
    if (width == 0 || width_of(v)) return v;
    // Behind its definition, the splat of what all iterations share is outside of their loop.
    const llvm::IRBuilder<>::InsertPointGuard scope(b_);
    if (auto* made = llvm::dyn_cast<llvm::Instruction>(v))
        if (const auto behind = made->getInsertionPointAfterDef()) b_.SetInsertPoint(*behind);
    return b_.CreateVectorSplat(width, v);
}

void value_emitter::unify(Value*& x, Value*& y) {
    x = splat(x, width_of(y));
    y = splat(y, width_of(x));
}

// ---- operations

Value* value_emitter::emit(const instr& i, Value* x, Value* y, Value* z) {
    if (i.b != kernel_ir::none) unify(x, y);
    if (i.c != kernel_ir::none) {
        unify(y, z);
        unify(x, z);
    }
    bool real = is_float(i.mt);
    auto unary = [&](ID id) { return b_.CreateUnaryIntrinsic(id, x); };
    switch (i.op) {
        case opcode::constant: return constant(i.mt, i.imm);
        case opcode::add:
            if (contract_ && real)
                if (auto* m = llvm::dyn_cast<llvm::BinaryOperator>(x);
                    m && m->getOpcode() == llvm::Instruction::FMul)
                    return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()},
                                              {m->getOperand(0), m->getOperand(1), y});
            return real ? b_.CreateFAdd(x, y) : b_.CreateAdd(x, y);
        case opcode::sub: return real ? b_.CreateFSub(x, y) : b_.CreateSub(x, y);
        case opcode::mul: return real ? b_.CreateFMul(x, y) : b_.CreateMul(x, y);
        case opcode::div: return b_.CreateFDiv(x, y);
        case opcode::neg: return real ? b_.CreateFNeg(x) : b_.CreateNeg(x);
        case opcode::abs:
            if (real) return unary(llvm::Intrinsic::fabs);
            if (is_unsigned(i.mt)) return x;
            return b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, x, b_.getFalse());
        case opcode::fma:
            return b_.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
        case opcode::sqrt: return unary(llvm::Intrinsic::sqrt);
        case opcode::floor: return unary(llvm::Intrinsic::floor);
        case opcode::ceil: return unary(llvm::Intrinsic::ceil);
        case opcode::trunc: return unary(llvm::Intrinsic::trunc);
        case opcode::rint: return unary(llvm::Intrinsic::roundeven);
        case opcode::idiv: return divide(i, x, y);
        case opcode::irem: return b_.CreateSub(x, b_.CreateMul(divide(i, x, y), y));
        case opcode::and_: return b_.CreateAnd(x, y);
        case opcode::or_: return b_.CreateOr(x, y);
        case opcode::xor_: return b_.CreateXor(x, y);
        case opcode::not_: return b_.CreateNot(x);
        case opcode::shl: return b_.CreateShl(x, shift_count(x, y));
        case opcode::shr:
            return is_unsigned(i.mt) ? b_.CreateLShr(x, shift_count(x, y))
                                     : b_.CreateAShr(x, shift_count(x, y));
        case opcode::lshr: return b_.CreateLShr(x, shift_count(x, y));
        case opcode::eq:
        case opcode::ne:
        case opcode::lt:
        case opcode::le:
        case opcode::gt:
        case opcode::ge: return compare(i, x, y);
        case opcode::select:
        case opcode::rare:
            if (Value* whole = convert_or_least(x, y, z)) return whole;
            return b_.CreateSelect(x, fence_logic(y), fence_logic(z));
        case opcode::bits:
        case opcode::from_bits: return b_.CreateBitCast(x, like(type(i.mt), x));
        case opcode::convert: return convert(i.in_mt, i.mt, x);
        case opcode::narrow: return from_memory(i.type, to_memory(i.type, x));
        case opcode::mulhi_u32: {
            Type* wide = like(b_.getInt64Ty(), x);
            Value* product = b_.CreateMul(b_.CreateZExt(x, wide), b_.CreateZExt(y, wide));
            return b_.CreateTrunc(b_.CreateLShr(product, 32), x->getType());
        }
        case opcode::lookup: return lookup(i, x);
        default:
            throw std::runtime_error("opcode " + std::to_string(static_cast<int>(i.op)) +
                                     " is not a primitive value");
    }
}

/// Fences a logic operation. LLVM 19 gives a masked VPTERNLOG the wrong truth table if the kept
/// lanes are one of its operands and another operand is a broadcast constant, so logic must not be
/// folded into a select.
Value* value_emitter::fence_logic(Value* v) {
    Value* made = v;
    while (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(made)) made = cast->getOperand(0);
    auto* logic = llvm::dyn_cast<llvm::BinaryOperator>(made);
    bool wide = v->getType()->getScalarSizeInBits() >= 32;
    if (!logic || !logic->isBitwiseLogicOp() || !wide || !width_of(v)) return v;
    bool doubles = v->getType()->getScalarSizeInBits() == 64;
    Type* real = like(doubles ? b_.getDoubleTy() : b_.getFloatTy(), v);
    Value* fenced =
        b_.CreateUnaryIntrinsic(llvm::Intrinsic::arithmetic_fence, b_.CreateBitCast(v, real));
    return b_.CreateBitCast(fenced, v->getType());
}

Value* value_emitter::divide(const instr& i, Value* x, Value* y) {
    Value* zero = llvm::Constant::getNullValue(x->getType());
    Value* one = llvm::ConstantInt::get(x->getType(), 1);
    Value* by_zero = b_.CreateICmpEQ(y, zero);
    Value* unusable = by_zero;
    Value* by_minus_one = nullptr;
    if (!is_unsigned(i.mt)) {
        by_minus_one = b_.CreateICmpEQ(y, llvm::Constant::getAllOnesValue(x->getType()));
        unusable = b_.CreateOr(by_zero, by_minus_one);
    }
    Value* divisor = b_.CreateSelect(unusable, one, y);
    Value* quotient;
    if (llvm::isa<llvm::Constant>(divisor)) {  // LLVM turns it into a product
        quotient = is_unsigned(i.mt) ? b_.CreateUDiv(x, divisor) : b_.CreateSDiv(x, divisor);
    } else if (i.mt == mtype::i64) {
        quotient = b_.CreateSDiv(x, divisor);
    } else {
        // Exact after truncation. Unlike integer division, it has a vector instruction.
        Type* real = like(b_.getDoubleTy(), x);
        auto widen = [&](Value* v) {
            return is_unsigned(i.mt) ? b_.CreateUIToFP(v, real) : b_.CreateSIToFP(v, real);
        };
        Type* word = like(b_.getInt32Ty(), x);
        quotient = b_.CreateFPToSI(b_.CreateFDiv(widen(x), widen(divisor)), word);
        quotient = b_.CreateTrunc(quotient, x->getType());
    }
    if (by_minus_one) quotient = b_.CreateSelect(by_minus_one, b_.CreateNeg(x), quotient);
    return b_.CreateSelect(by_zero, zero, quotient);
}

Value* value_emitter::compare(const instr& i, Value* x, Value* y) {
    bool real = is_float(i.in_mt), is_u = is_unsigned(i.in_mt);
    switch (i.op) {
        case opcode::eq: return real ? b_.CreateFCmpOEQ(x, y) : b_.CreateICmpEQ(x, y);
        case opcode::ne: return real ? b_.CreateFCmpUNE(x, y) : b_.CreateICmpNE(x, y);
        case opcode::lt:
            return real   ? b_.CreateFCmpOLT(x, y)
                   : is_u ? b_.CreateICmpULT(x, y)
                          : b_.CreateICmpSLT(x, y);
        case opcode::le:
            return real   ? b_.CreateFCmpOLE(x, y)
                   : is_u ? b_.CreateICmpULE(x, y)
                          : b_.CreateICmpSLE(x, y);
        case opcode::gt:
            return real   ? b_.CreateFCmpOGT(x, y)
                   : is_u ? b_.CreateICmpUGT(x, y)
                          : b_.CreateICmpSGT(x, y);
        default:
            return real   ? b_.CreateFCmpOGE(x, y)
                   : is_u ? b_.CreateICmpUGE(x, y)
                          : b_.CreateICmpSGE(x, y);
    }
}

Value* value_emitter::shift_count(Value* x, Value* n) {
    unsigned bits = x->getType()->getScalarSizeInBits();
    return b_.CreateAnd(n, llvm::ConstantInt::get(n->getType(), bits - 1));
}

// ---- conversions

Value* value_emitter::convert(mtype from, mtype to, Value* x) {
    if (from == to) return x;
    Type* result = like(type(to), x);
    if (to == mtype::b1) {
        Value* zero = llvm::Constant::getNullValue(x->getType());
        return is_float(from) ? b_.CreateFCmpUNE(x, zero) : b_.CreateICmpNE(x, zero);
    }
    if (is_float(from) && is_float(to)) return b_.CreateFPCast(x, result);
    if (is_float(from)) {
        // Converts through the signed type of at least 32 bits, which has an instruction.
        Type* wide = like(to == mtype::i64 ? b_.getInt64Ty() : b_.getInt32Ty(), x);
        return b_.CreateTrunc(b_.CreateFreeze(b_.CreateFPToSI(x, wide)), result);
    }
    if (is_float(to))
        return is_unsigned(from) ? b_.CreateUIToFP(x, result) : b_.CreateSIToFP(x, result);
    return is_unsigned(from) ? b_.CreateZExtOrTrunc(x, result) : b_.CreateSExtOrTrunc(x, result);
}

/// Returns `whole` if `inside`, else `outside`, as one instruction: the processor's conversion
/// gives the minimum for all values out of range. Returns null if the operands do not have that
/// pattern.
Value* value_emitter::convert_or_least(Value* inside, Value* whole, Value* outside) {
    auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(whole);
    auto* convert = frozen ? llvm::dyn_cast<llvm::FPToSIInst>(frozen->getOperand(0)) : nullptr;
    auto* chosen = convert ? llvm::dyn_cast<llvm::SelectInst>(convert->getOperand(0)) : nullptr;
    auto* least = llvm::dyn_cast<llvm::Constant>(outside);
    if (!chosen || chosen->getCondition() != inside || !least || !least->isMinSignedValue())
        return nullptr;
    Value* x = chosen->getTrueValue();
    const double bound =
        std::ldexp(1.0, static_cast<int>(whole->getType()->getScalarSizeInBits()) - 1);
    using namespace llvm::PatternMatch;
    llvm::FCmpInst::Predicate predicate;
    if (!match(inside, m_FCmp(predicate, m_FAbs(m_Specific(x)), m_SpecificFP(bound))) ||
        predicate != llvm::FCmpInst::FCMP_OLT)
        return nullptr;
    const bool from_double = x->getType()->getScalarType()->isDoubleTy();
    const bool to_long = whole->getType()->getScalarSizeInBits() == 64;
    llvm::Function* f = b_.GetInsertBlock()->getParent();
    const llvm::StringRef cpu = f->getFnAttribute("target-cpu").getValueAsString();
    if (!cpu.starts_with("x86-64-v")) return nullptr;  // others saturate
    const bool v4 = cpu == "x86-64-v4";
    unsigned lanes = from_double || to_long ? 8 : 16;
    llvm::Intrinsic::ID id = llvm::Intrinsic::not_intrinsic;
    if (v4)
        id = from_double ? to_long ? llvm::Intrinsic::x86_avx512_mask_cvttpd2qq_512
                                   : llvm::Intrinsic::x86_avx512_mask_cvttpd2dq_512
             : to_long   ? llvm::Intrinsic::x86_avx512_mask_cvttps2qq_512
                         : llvm::Intrinsic::x86_avx512_mask_cvttps2dq_512;
    else if (!to_long)
        id = from_double ? llvm::Intrinsic::x86_avx_cvtt_pd2dq_256
                         : llvm::Intrinsic::x86_avx_cvtt_ps2dq_256;
    if (!v4) lanes /= 2;
    const unsigned width = width_of(x);
    if (id == llvm::Intrinsic::not_intrinsic || width == 0 || width % lanes != 0) return nullptr;
    auto* type = llvm::FixedVectorType::get(whole->getType()->getScalarType(), lanes);
    std::vector<Value*> parts;
    for (unsigned first = 0; first < width; first += lanes) {
        std::vector<int> own(lanes);
        std::iota(own.begin(), own.end(), static_cast<int>(first));
        Value* part = lanes == width ? x : b_.CreateShuffleVector(x, own);
        if (!v4) {
            parts.push_back(b_.CreateIntrinsic(id, {}, {part}));
            continue;
        }
        Value* all = llvm::Constant::getAllOnesValue(b_.getIntNTy(lanes));
        Value* none = llvm::Constant::getNullValue(type);
        constexpr uint32_t as_the_environment_has_it = 4;
        parts.push_back(
            b_.CreateIntrinsic(id, {}, {part, none, all, b_.getInt32(as_the_environment_has_it)}));
    }
    return llvm::concatenateVectors(b_, parts);
}

/// Fenced: otherwise LLVM would compute in half what is widened and narrowed again, and call a
/// library if the processor cannot.
Value* value_emitter::widen_half(Value* x) {
    Value* wide = b_.CreateFPExt(x, like(b_.getFloatTy(), x));
    return b_.CreateUnaryIntrinsic(llvm::Intrinsic::arithmetic_fence, wide);
}

namespace {

/// Returns the half that was widened to this value without any computation, or null.
Value* unchanged_half(Value* value) {
    auto* fence = llvm::dyn_cast<llvm::IntrinsicInst>(value);
    if (!fence || fence->getIntrinsicID() != llvm::Intrinsic::arithmetic_fence) return nullptr;
    auto* wide = llvm::dyn_cast<llvm::FPExtInst>(fence->getArgOperand(0));
    return wide && wide->getSrcTy()->getScalarType()->isHalfTy() ? wide->getOperand(0) : nullptr;
}

}  // namespace

/// Rounds with integer operations, like runtime/types/bfloat16.cpp: the processor's instruction
/// flushes subnormals.
Value* value_emitter::narrow_bfloat(Value* x) {
    Value* word = b_.CreateBitCast(x, like(b_.getInt32Ty(), x));
    auto number = [&](uint32_t n) { return llvm::ConstantInt::get(word->getType(), n); };
    Value* top = b_.CreateLShr(word, number(16));
    Value* even = b_.CreateAnd(top, number(1));
    Value* rounded = b_.CreateLShr(b_.CreateAdd(word, b_.CreateAdd(even, number(0x7FFF))), 16);
    Value* no_payload = b_.CreateICmpEQ(b_.CreateAnd(top, number(0x7F)), number(0));
    Value* nan = b_.CreateSelect(no_payload, b_.CreateOr(top, number(0x40)), top);
    Value* magnitude = b_.CreateAnd(word, number(0x7FFFFFFF));
    Value* is_nan = b_.CreateICmpUGT(magnitude, number(0x7F800000));
    return b_.CreateTrunc(b_.CreateSelect(is_nan, nan, rounded), like(b_.getInt16Ty(), x));
}

Value* value_emitter::widen_bfloat(Value* x) {
    Value* word = b_.CreateZExt(x, like(b_.getInt32Ty(), x));
    return b_.CreateBitCast(b_.CreateShl(word, 16), like(b_.getFloatTy(), x));
}

Value* value_emitter::from_memory(ScalarType t, Value* stored) {
    switch (t) {
        case kBool: return b_.CreateICmpNE(stored, llvm::Constant::getNullValue(stored->getType()));
        case kHalf: return widen_half(stored);
        case kBFloat16: return widen_bfloat(stored);
        default: break;
    }
    if (!kernel_ir::is_narrow(t)) return stored;
    Type* wide = like(type(kernel_ir::compute_type(t)), stored);
    return isSignedType(t) ? b_.CreateSExt(stored, wide) : b_.CreateZExt(stored, wide);
}

Value* value_emitter::to_memory(ScalarType t, Value* value) {
    switch (t) {
        case kBool: return b_.CreateZExt(value, like(b_.getInt8Ty(), value));
        case kHalf:
            // Moves keep the bits of NaN; the processor's conversions do not.
            if (Value* moved = unchanged_half(value)) return moved;
            return b_.CreateFPTrunc(value, like(b_.getHalfTy(), value));
        case kBFloat16: return narrow_bfloat(value);
        default: break;
    }
    return kernel_ir::is_narrow(t) ? b_.CreateTrunc(value, like(memory_type(t), value)) : value;
}

Value* value_emitter::to_word(Value* value) {
    unsigned bits = value->getType()->getScalarSizeInBits();
    return b_.CreateZExt(b_.CreateBitCast(value, b_.getIntNTy(bits)), b_.getInt64Ty());
}

Value* value_emitter::from_word(mtype t, Value* word) {
    Type* to = type(t);
    if (t == mtype::b1) return b_.CreateICmpNE(word, b_.getInt64(0));
    return b_.CreateBitCast(b_.CreateTrunc(word, b_.getIntNTy(to->getScalarSizeInBits())), to);
}

// ---- tables

Value* value_emitter::lookup(const instr& i, Value* index) {
    const math::table_info& info = math::tables[i.row];
    Type* element = type(i.mt);
    std::string name = "table." + std::to_string(i.row);
    llvm::GlobalVariable* data = module_.getNamedGlobal(name);
    if (!data) {
        llvm::Constant* words;
        auto count = static_cast<std::size_t>(info.size);
        if (info.is_double)
            words = llvm::ConstantDataArray::get(
                b_.getContext(), llvm::ArrayRef(static_cast<const double*>(info.data), count));
        else
            words = llvm::ConstantDataArray::get(
                b_.getContext(), llvm::ArrayRef(static_cast<const float*>(info.data), count));
        data = new llvm::GlobalVariable(module_, words->getType(), true,
                                        llvm::GlobalValue::InternalLinkage, words, name);
        data->setAlignment(llvm::Align(64));
    }
    // In range by contract. Wrapping costs nothing if the formula already masks the index.
    auto size = static_cast<uint32_t>(info.size);
    if (llvm::has_single_bit(size))
        index = b_.CreateAnd(index, llvm::ConstantInt::get(index->getType(), size - 1));
    else
        index = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index,
                                         llvm::ConstantInt::get(index->getType(), size - 1));
    Value* address =
        b_.CreateGEP(element, data, b_.CreateZExt(index, like(b_.getInt64Ty(), index)));
    unsigned width = width_of(index);
    if (!width) return b_.CreateLoad(element, address);
    return b_.CreateMaskedGather(llvm::FixedVectorType::get(element, width), address,
                                 llvm::Align(element->getPrimitiveSizeInBits() / 8));
}

}  // namespace sinter::codegen
