#include "jit/codegen/llvm/emit_lanes.hpp"

#include <llvm/IR/MDBuilder.h>

#include <numeric>

namespace sinter::codegen {

using kernel_ir::stride_class;
using llvm::BasicBlock;
using llvm::Type;
using llvm::Value;

namespace {

int64_t bytes_of(Type* t) { return static_cast<int64_t>(t->getPrimitiveSizeInBits() / 8); }

const llvm::Align unaligned(1);  // strides are in bytes and guarantee no alignment

}  // namespace

// ---- control flow

llvm::AllocaInst* lane_emitter::slot(Type* type, Value* count) {
    BasicBlock& first = b_.GetInsertBlock()->getParent()->getEntryBlock();
    llvm::IRBuilder<> at_start(&first, first.begin());
    auto* memory = at_start.CreateAlloca(type, count);
    memory->setAlignment(llvm::Align(64));
    return memory;
}

lane_emitter::values lane_emitter::loop(Value* begin, Value* end, int64_t step, values carried,
                                        const std::function<values(Value*, const values&)>& body) {
    return loop(begin, end, b_.getInt64(static_cast<uint64_t>(step)), std::move(carried), body);
}

lane_emitter::values lane_emitter::loop(Value* begin, Value* end, Value* step, values carried,
                                        const std::function<values(Value*, const values&)>& body) {
    llvm::Function* f = b_.GetInsertBlock()->getParent();
    auto* before = BasicBlock::Create(b_.getContext(), "enter", f);
    auto* inside = BasicBlock::Create(b_.getContext(), "loop", f);
    auto* after = BasicBlock::Create(b_.getContext(), "after", f);
    BasicBlock* from = b_.GetInsertBlock();
    b_.CreateCondBr(b_.CreateICmpSLT(begin, end), before, after);
    b_.SetInsertPoint(before);
    b_.CreateBr(inside);

    b_.SetInsertPoint(inside);
    carried.push_back(begin);
    std::vector<llvm::PHINode*> phis;
    values current;
    for (Value* v : carried) {
        phis.push_back(b_.CreatePHI(v->getType(), 2));
        phis.back()->addIncoming(v, before);
        current.push_back(phis.back());
    }
    Value* i = current.back();
    current.pop_back();
    values next = body(i, current);
    next.push_back(b_.CreateAdd(i, step, "", true, true));
    BasicBlock* latch = b_.GetInsertBlock();
    for (std::size_t k = 0; k < phis.size(); ++k) phis[k]->addIncoming(next[k], latch);
    b_.CreateCondBr(b_.CreateICmpSLT(next.back(), end), inside, after);

    b_.SetInsertPoint(after);
    values results;
    for (std::size_t k = 0; k < phis.size(); ++k) {
        auto* phi = b_.CreatePHI(carried[k]->getType(), 2);
        phi->addIncoming(carried[k], from);
        phi->addIncoming(next[k], latch);
        results.push_back(phi);
    }
    return results;
}

Value* lane_emitter::each(Value* begin, Value* end, Value* step,
                          const std::function<void(Value*)>& body) {
    auto with_none = [&](Value* i, const values&) -> values {
        body(i);
        return {};
    };
    return loop(begin, end, step, {}, with_none).back();
}

void lane_emitter::if_then(Value* condition, const std::function<void()>& body) {
    llvm::Function* f = b_.GetInsertBlock()->getParent();
    auto* then = BasicBlock::Create(b_.getContext(), "then", f);
    auto* after = BasicBlock::Create(b_.getContext(), "after", f);
    b_.CreateCondBr(condition, then, after);
    b_.SetInsertPoint(then);
    body();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
}

lane_emitter::values lane_emitter::choose(Value* condition, const values& known,
                                          const std::function<values()>& make) {
    return choose(condition, known, make, nullptr);
}

lane_emitter::values lane_emitter::usually(Value* condition, const values& known,
                                           const std::function<values()>& make) {
    return choose(condition, known, make,
                  llvm::MDBuilder(b_.getContext()).createBranchWeights(1000, 1));
}

lane_emitter::values lane_emitter::choose(Value* condition, const values& known,
                                          const std::function<values()>& make, llvm::MDNode* odds) {
    llvm::Function* f = b_.GetInsertBlock()->getParent();
    auto* other = BasicBlock::Create(b_.getContext(), "other", f);
    auto* after = BasicBlock::Create(b_.getContext(), "chosen", f);
    BasicBlock* from = b_.GetInsertBlock();
    b_.CreateCondBr(condition, after, other, odds);
    b_.SetInsertPoint(other);
    values made = make();
    BasicBlock* last = b_.GetInsertBlock();
    b_.CreateBr(after);
    b_.SetInsertPoint(after);
    values results;
    for (std::size_t n = 0; n < known.size(); ++n) {
        auto* phi = b_.CreatePHI(known[n]->getType(), 2);
        phi->addIncoming(known[n], from);
        phi->addIncoming(made[n], last);
        results.push_back(phi);
    }
    return results;
}

// ---- lanes

Value* lane_emitter::iota(Type* element) {
    std::vector<llvm::Constant*> numbers;
    for (unsigned l = 0; l < width_; ++l) numbers.push_back(llvm::ConstantInt::get(element, l));
    return llvm::ConstantVector::get(numbers);
}

Value* lane_emitter::mask(lane_point& at) {
    if (!at.active)
        return llvm::ConstantInt::getTrue(llvm::FixedVectorType::get(b_.getInt1Ty(), width_));
    if (!at.mask) {
        Value* count = b_.CreateTrunc(at.active, b_.getInt32Ty());
        at.mask = b_.CreateICmpSLT(iota(b_.getInt32Ty()), values_.splat(count, width_));
        if (at.skipped) {
            Value* first = values_.splat(b_.CreateTrunc(at.skipped, b_.getInt32Ty()), width_);
            at.mask = b_.CreateAnd(at.mask, b_.CreateICmpSGE(iota(b_.getInt32Ty()), first));
        }
    }
    return at.mask;
}

Value* lane_emitter::at_most(Value* n, int64_t limit) {
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, n,
                                    b_.getInt64(static_cast<uint64_t>(limit)));
}

bool lane_emitter::has_masked_access(Type* element) const {
    return bytes_of(element) >= 4 || shape_.narrow_masks;
}

bool lane_emitter::has_slow_tail(const kernel_ir::kernel& k, vector_shape shape) {
    for (const kernel_ir::operand& o : k.operands) {
        if (o.use == kernel_ir::role::index || o.lane == stride_class::zero) continue;
        if (is_slow(o.lane, static_cast<int64_t>(elementSize(o.type)),
                    o.use == kernel_ir::role::output, shape))
            return true;
    }
    return false;
}

/// Returns true if masked access goes lane by lane.
bool lane_emitter::is_slow(stride_class lane, int64_t bytes, bool writes, vector_shape shape) {
    if (lane == stride_class::pair && writes) return !shape.narrow_masks;
    return lane == stride_class::other || (bytes < 4 && !shape.narrow_masks);
}

Value* lane_emitter::first_words(Value* count) {
    Value* n = b_.CreateTrunc(count, b_.getInt32Ty());
    return b_.CreateICmpSLT(iota(b_.getInt32Ty()), values_.splat(n, width_));
}

Value* lane_emitter::words_of(lane_point& at, Value* count, uint64_t first) {
    Value* words = first_words(count);
    if (!at.skipped) return words;
    Value* skipped = b_.CreateSub(b_.CreateShl(at.skipped, 1), b_.getInt64(first));
    return b_.CreateAnd(words, b_.CreateNot(first_words(skipped)));
}

Value* lane_emitter::load_pairs(Type* words, Value* address, lane_point& at) {
    // The second half starts one word early, so that no word past the last lane is accessed.
    const auto width = static_cast<int>(width_);
    Type* word = words->getScalarType();
    Value* behind = b_.CreateConstGEP1_64(word, address, width_ - 1);
    Value *low, *high;
    if (at.active) {
        Value* last = b_.CreateSub(b_.CreateShl(at.active, 1), b_.getInt64(1));
        Value* none = llvm::Constant::getNullValue(words);
        low = b_.CreateMaskedLoad(words, address, unaligned, words_of(at, last, 0), none);
        Value* rest = b_.CreateSub(last, b_.getInt64(width_ - 1));
        high = b_.CreateMaskedLoad(words, behind, unaligned, words_of(at, rest, width_ - 1), none);
    } else {
        low = b_.CreateAlignedLoad(words, address, unaligned);
        high = b_.CreateAlignedLoad(words, behind, unaligned);
    }
    std::vector<int> chosen;
    for (int l = 0; l < width; ++l) chosen.push_back(2 * l < width ? 2 * l : 2 * l + 1);
    return b_.CreateShuffleVector(low, high, chosen);
}

void lane_emitter::store_pairs(Value* words, Value* address, lane_point& at) {
    const auto width = static_cast<int>(width_);
    Type* word = words->getType()->getScalarType();
    for (int half = 0; half < 2; ++half) {
        std::vector<int> spread;
        std::vector<llvm::Constant*> even;
        for (int l = 0; l < width; ++l) {
            spread.push_back(half * width / 2 + l / 2);
            even.push_back(b_.getInt1(l % 2 == 0));
        }
        Value* mask = llvm::ConstantVector::get(even);
        Value* first = b_.getInt64(static_cast<uint64_t>(half) * width_);
        if (at.active)
            mask = b_.CreateAnd(mask, first_words(b_.CreateSub(b_.CreateShl(at.active, 1), first)));
        b_.CreateMaskedStore(b_.CreateShuffleVector(words, spread),
                             b_.CreateGEP(word, address, first), unaligned, mask);
    }
}

Value* lane_emitter::lane_address(Value* address, Value* stride, unsigned lane) {
    Value* offset = b_.CreateMul(stride, b_.getInt64(lane));
    return b_.CreateGEP(b_.getInt8Ty(), address, offset);
}

Value* lane_emitter::load(ScalarType type, stride_class lane, Value* address, Value* stride,
                          lane_point& at) {
    Type* element = values_.memory_type(type);
    if (lane == stride_class::zero)
        return values_.from_memory(type, b_.CreateAlignedLoad(element, address, unaligned));
    // Loaded as integers, since vectors of halves have no masked access. An unmasked load that is
    // nothing else becomes an operand of the instruction that needs it.
    const bool whole = lane == stride_class::unit && !at.active;
    Type* word = whole && (element->isFloatTy() || element->isDoubleTy())
                     ? element
                     : b_.getIntNTy(static_cast<unsigned>(element->getPrimitiveSizeInBits()));
    auto* vector = llvm::FixedVectorType::get(element, width_);
    auto* words = llvm::FixedVectorType::get(word, width_);
    Value* stored;
    if (whole) {
        stored = b_.CreateAlignedLoad(words, address, unaligned);
    } else if (lane == stride_class::unit && has_masked_access(element)) {
        stored = b_.CreateMaskedLoad(words, address, unaligned, mask(at),
                                     llvm::Constant::getNullValue(words));
    } else if (lane == stride_class::pair && (!at.active || has_masked_access(element))) {
        stored = load_pairs(words, address, at);
    } else if (at.active) {
        Value* step = lane == stride_class::unit
                          ? b_.getInt64(static_cast<uint64_t>(bytes_of(element)))
                          : stride;
        stored = load_each(word, address, step, at);
    } else {
        stored = llvm::PoisonValue::get(words);
        for (unsigned l = 0; l < width_; ++l) {
            Value* one = b_.CreateAlignedLoad(word, lane_address(address, stride, l), unaligned);
            stored = b_.CreateInsertElement(stored, one, uint64_t{l});
        }
    }
    return values_.from_memory(type, b_.CreateBitCast(stored, vector));
}

void lane_emitter::store(ScalarType type, stride_class lane, Value* value, Value* address,
                         Value* stride, lane_point& at, bool fault_whole) {
    Value* stored = values_.splat(values_.to_memory(type, value), width_);
    Type* element = stored->getType()->getScalarType();
    Type* word = b_.getIntNTy(static_cast<unsigned>(element->getPrimitiveSizeInBits()));
    stored = b_.CreateBitCast(stored, llvm::FixedVectorType::get(word, width_));
    if (lane == stride_class::unit && (!at.active || fault_whole)) {
        b_.CreateAlignedStore(stored, address, unaligned);
    } else if (lane == stride_class::unit && has_masked_access(element)) {
        if (at.exact && !at.skipped)
            store_first(stored, address, at.active);
        else
            b_.CreateMaskedStore(stored, address, unaligned, mask(at));
    } else if (lane == stride_class::pair && !is_slow(lane, bytes_of(element), true, shape_)) {
        store_pairs(stored, address, at);
    } else if (at.active) {
        Value* step = lane == stride_class::unit
                          ? b_.getInt64(static_cast<uint64_t>(bytes_of(element)))
                          : stride;
        store_each(stored, address, step, at.active);
    } else {
        for (unsigned l = 0; l < width_; ++l)
            b_.CreateAlignedStore(b_.CreateExtractElement(stored, uint64_t{l}),
                                  lane_address(address, stride, l), unaligned);
    }
}

void lane_emitter::store_first(Value* lanes, Value* address, Value* count) {
    Type* element = lanes->getType()->getScalarType();
    const auto from = [&](Value* v, unsigned first, unsigned n) -> Value* {
        if (n == 1) return b_.CreateExtractElement(v, uint64_t{first});
        std::vector<int> taken(n);
        std::iota(taken.begin(), taken.end(), static_cast<int>(first));
        return b_.CreateShuffleVector(v, taken);
    };
    Value* whole = b_.CreateICmpSGE(count, b_.getInt64(width_));
    if_then(whole, [&] { b_.CreateAlignedStore(lanes, address, unaligned); });
    if_then(b_.CreateNot(whole), [&] {
        for (unsigned n = width_ / 2; n >= 1; n /= 2) {
            Value *low = from(lanes, 0, n), *high = n > 1 ? from(lanes, n, n) : low;
            Value* none = b_.CreateIsNull(b_.CreateAnd(count, b_.getInt64(n)));
            const values left = choose(none, {low, address}, [&] {
                b_.CreateAlignedStore(low, address, unaligned);
                return values{high, b_.CreateConstGEP1_64(element, address, n)};
            });
            lanes = left[0];
            address = left[1];
        }
    });
}

Value* lane_emitter::load_each(Type* element, Value* address, Value* stride, lane_point& at) {
    auto* vector = llvm::FixedVectorType::get(element, width_);
    Value* buffer = slot(vector);
    b_.CreateAlignedStore(llvm::Constant::getNullValue(vector), buffer, unaligned);
    Value* first = b_.getInt64(0);
    if (at.skipped) first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, at.skipped, first);
    each(first, at.active, 1, [&](Value* l) {
        Value* from = b_.CreateGEP(b_.getInt8Ty(), address, b_.CreateMul(stride, l));
        b_.CreateAlignedStore(b_.CreateAlignedLoad(element, from, unaligned),
                              b_.CreateGEP(element, buffer, l), unaligned);
    });
    return b_.CreateAlignedLoad(vector, buffer, unaligned);
}

void lane_emitter::store_each(Value* value, Value* address, Value* stride, Value* active) {
    Type* element = value->getType()->getScalarType();
    Value* buffer = slot(value->getType());
    b_.CreateAlignedStore(value, buffer, unaligned);
    each(b_.getInt64(0), active, 1, [&](Value* l) {
        Value* to = b_.CreateGEP(b_.getInt8Ty(), address, b_.CreateMul(stride, l));
        Value* from = b_.CreateGEP(element, buffer, l);
        b_.CreateAlignedStore(b_.CreateAlignedLoad(element, from, unaligned), to, unaligned);
    });
}

}  // namespace sinter::codegen
