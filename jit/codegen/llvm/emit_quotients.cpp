#include "jit/codegen/llvm/emit_quotients.hpp"

#include <cmath>

namespace sinter::codegen {

using llvm::Value;

namespace {

/// Exponent limits of the divisor and of the dividends within which nothing underflows.
struct limits {
    int divisor, dividend;
};
constexpr limits limits_f32{30, -90}, limits_f64{200, -500};

Value* bits_of(llvm::IRBuilder<>& b, Value* x) {
    llvm::Type* word = b.getIntNTy(x->getType()->getScalarSizeInBits());
    if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(x->getType()))
        word = llvm::FixedVectorType::get(word, vector->getNumElements());
    return b.CreateBitCast(x, word);
}

Value* power(llvm::Type* t, int exponent) {
    return llvm::ConstantFP::get(t, std::ldexp(1.0, exponent));
}

Value* fma(llvm::IRBuilder<>& b, Value* x, Value* y, Value* z) {
    return b.CreateIntrinsic(llvm::Intrinsic::fma, {x->getType()}, {x, y, z});
}

}  // namespace

lane_emitter::values emit_quotients(llvm::IRBuilder<>& b, lane_emitter& lanes,
                                    const lane_emitter::values& dividends, Value* divisor) {
    llvm::Type* t = divisor->getType();
    const limits range = t->getScalarType()->isDoubleTy() ? limits_f64 : limits_f32;
    Value *one = llvm::ConstantFP::get(t, 1), *zero = llvm::ConstantFP::get(t, 0);
    Value* usable = b.CreateAnd(b.CreateFCmpOGE(divisor, power(t, -range.divisor)),
                                b.CreateFCmpOLE(divisor, power(t, range.divisor)));
    Value* minus = b.CreateFNeg(divisor);
    Value* nearest = b.CreateFDiv(one, divisor);
    Value* word = bits_of(b, nearest);
    Value* below =
        b.CreateBitCast(b.CreateSub(word, llvm::ConstantInt::get(word->getType(), 1)), t);
    Value* above = b.CreateFCmpOLT(fma(b, minus, nearest, one), zero);
    Value* high = b.CreateSelect(above, below, nearest);
    Value* low = b.CreateFMul(fma(b, minus, high, one), nearest);
    nearest = b.CreateSelect(usable, nearest, llvm::ConstantFP::getNaN(t));

    auto* vector = llvm::cast<llvm::FixedVectorType>(dividends[0]->getType());
    auto spread = [&](Value* v) {
        return v->getType()->isVectorTy() ? v : b.CreateVectorSplat(vector->getNumElements(), v);
    };
    Value *d = spread(divisor), *y = spread(nearest), *h = spread(high), *l = spread(low);
    lane_emitter::values quotients;
    Value *smallest = nullptr, *last = nullptr, *wrong = nullptr;
    for (std::size_t n = 0; n < dividends.size(); ++n) {
        Value* x = dividends[n];
        Value* q = fma(b, x, h, b.CreateFMul(x, l));
        Value* r = fma(b, d, q, b.CreateFNeg(x));
        q = fma(b, b.CreateFNeg(r), y, q);
        quotients.push_back(q);
        // Detects magnitudes above 0 and below the limit: shifting out the sign and subtracting 1
        // as unsigned integers makes 0 the largest.
        Value* magnitude = bits_of(b, x);
        magnitude =
            b.CreateSub(b.CreateShl(magnitude, 1), llvm::ConstantInt::get(magnitude->getType(), 1));
        smallest = smallest ? b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, smallest, magnitude)
                            : magnitude;
        if (n % 2 == 1 || n + 1 == dividends.size()) {
            Value* nan = b.CreateFCmpUNO(last && n % 2 == 1 ? last : q, q);
            wrong = wrong ? b.CreateOr(wrong, nan) : nan;
        }
        last = q;
    }
    Value* limit = b.CreateBitCast(power(vector, range.dividend), smallest->getType());
    limit = b.CreateSub(b.CreateShl(limit, 1), llvm::ConstantInt::get(smallest->getType(), 1));
    wrong = b.CreateOr(wrong, b.CreateICmpULT(smallest, limit));
    return lanes.choose(b.CreateNot(b.CreateOrReduce(wrong)), quotients, [&] {
        lane_emitter::values exact;
        for (Value* x : dividends) exact.push_back(b.CreateFDiv(x, d));
        return exact;
    });
}

}  // namespace sinter::codegen
