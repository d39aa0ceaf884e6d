#include "jit/codegen/llvm/reduce/lane_algebra.hpp"

#include "jit/kernel_ir/reduce_order.hpp"

#include <llvm/Analysis/VectorUtils.h>

namespace sinter::codegen {

using kernel_ir::fragment;
using llvm::Value;
using op::reduction_kind;

namespace {

bool is_largest(uint16_t row) { return row == static_cast<uint16_t>(op::reduction::amax); }

/// Returns true for amax and amin of floats: as a formula they take six instructions, on integer
/// keys one.
bool has_keys(uint16_t row, mtype acc) {
    return (is_largest(row) || row == static_cast<uint16_t>(op::reduction::amin)) && is_float(acc);
}

/// Returns the bits of a float, with those below the sign flipped if it is negative. It is its own
/// inverse.
uint64_t key_of(mtype t, uint64_t bits) {
    const uint64_t sign = t == mtype::f64 ? uint64_t{1} << 63 : uint64_t{1} << 31;
    return bits & sign ? bits ^ (sign - 1) : bits;
}
Value* key_of(llvm::IRBuilder<>& b, Value* word) {
    const unsigned bits = word->getType()->getScalarSizeInBits();
    return b.CreateXor(word, b.CreateLShr(b.CreateAShr(word, bits - 1), 1));
}

/// Returns the type of `v` with another element.
llvm::Type* like(llvm::Type* scalar, Value* v) { return v->getType()->getWithNewType(scalar); }

/// Returns an integer ordered like amax and amin order floats: -0 is below 0, and a NaN of either
/// sign wins.
Value* to_key(llvm::IRBuilder<>& b, bool largest, Value* x) {
    const unsigned bits = x->getType()->getScalarSizeInBits();
    llvm::Type* type = like(b.getIntNTy(bits), x);
    Value* key = key_of(b, b.CreateBitCast(x, type));
    const llvm::APInt nan =
        largest ? llvm::APInt::getSignedMaxValue(bits) : llvm::APInt::getSignedMinValue(bits);
    return b.CreateSelect(b.CreateFCmpUNO(x, x), llvm::ConstantInt::get(type, nan), key);
}

values call(function_emitter& f, const fragment& fragment, const values& arguments) {
    values made(fragment.body.size());
    auto value = [&](value_id v) {
        return v == kernel_ir::none ? nullptr : made[static_cast<std::size_t>(v)];
    };
    for (std::size_t v = 0; v < fragment.body.size(); ++v) {
        const instr& i = fragment.body[v];
        made[v] = i.op == kernel_ir::opcode::scalar
                      ? arguments[static_cast<std::size_t>(i.a)]
                      : f.values.emit(i, value(i.a), value(i.b), value(i.c));
    }
    values results;
    for (value_id v : fragment.results) results.push_back(value(v));
    return results;
}

}  // namespace

reduction::reduction(function_emitter& f, value_id v, std::size_t n)
    : id(v),
      number(n),
      parts(kernel_ir::make_fragments(f.context.at(v).row, f.context.at(v).in)),
      lane_types{parts.acc},
      state_types{parts.acc},
      f_(f),
      keyed_(has_keys(f.context.at(v).row, parts.acc)) {
    if (is(reduction_kind::arg)) lane_types.push_back(mtype::i32);
    if (is(reduction_kind::arg)) state_types.push_back(mtype::i64);
    if (is(reduction_kind::moments)) state_types.push_back(parts.acc);
    if (keyed_) {
        lane_types = {parts.acc == mtype::f64 ? mtype::i64 : mtype::i32};
        parts.identity = {key_of(parts.acc, parts.identity[0])};
    }
}

bool reduction::has_lanes_of(const reduction& o) const {
    const auto equal = [](const fragment& x, const fragment& y) {
        return x.body == y.body && x.results == y.results;
    };
    return f_.context.at(o.id).a == f_.context.at(id).a && o.parts.acc == parts.acc &&
           !o.is(reduction_kind::arg) && !is(reduction_kind::arg) && o.keyed_ == keyed_ &&
           o.parts.identity == parts.identity && equal(o.parts.prepare, parts.prepare) &&
           equal(o.parts.combine, parts.combine);
}

Value* reduction::identity(std::size_t part, Value* vector) const {
    const unsigned width = f_.lanes.width();
    if (!is(reduction_kind::arg) || part == 0)
        return f_.values.splat(f_.values.constant(lane_types[part], parts.identity[part]), width);
    // Starts with the index of the lane's first element: if that element is no better than the
    // identity, it is still the first. A lane without elements loses to the lanes before it.
    const bool along = f_.context.along_elements();
    llvm::Type* type = f_.b.getInt32Ty();
    if (along) vector = f_.b.CreateMul(vector, f_.number(width));
    Value* first = f_.values.splat(f_.b.CreateTrunc(vector, type), width);
    return along ? f_.b.CreateAdd(first, f_.lanes.iota(type)) : first;
}

values reduction::prepared(const lane_point& at) const {
    const instr& i = f_.context.at(id);
    values next = call(f_, parts.prepare, {f_.lanes_of(i.a, at)});
    if (keyed_) next[0] = to_key(f_.b, is_largest(i.row), next[0]);
    return next;
}

values reduction::step(const values& old, const lane_point& at, bool deviations) const {
    values next = prepared(at);
    if (deviations) next = call(f_, parts.deviation, {next[0], means[at.row]});
    if (!is(reduction_kind::arg)) return combine(old, next);
    // A lane's elements come in order, so the lane keeps the first of equal values.
    Value* take = call(f_, parts.better, {next[0], old[0]})[0];
    Value* place = f_.b.CreateAnd(at.element, f_.number(kernel_ir::reduce_chunk - 1));
    place = f_.values.splat(f_.b.CreateTrunc(place, f_.b.getInt32Ty()), f_.lanes.width());
    if (f_.context.along_elements())
        place = f_.b.CreateAdd(place, f_.lanes.iota(f_.b.getInt32Ty()));
    return {f_.b.CreateSelect(take, next[0], old[0]), f_.b.CreateSelect(take, place, old[1])};
}

values reduction::combine(values low, const values& high) const {
    if (keyed_) {
        const bool largest = is_largest(f_.context.at(id).row);
        return {f_.b.CreateBinaryIntrinsic(largest ? llvm::Intrinsic::smax : llvm::Intrinsic::smin,
                                           low[0], high[0])};
    }
    low.insert(low.end(), high.begin(), high.end());
    if (!is(reduction_kind::arg)) return call(f_, parts.combine, low);
    llvm::Type* narrow = low[1]->getType();
    for (std::size_t n : {1, 3}) low[n] = f_.b.CreateSExt(low[n], like(f_.b.getInt64Ty(), low[n]));
    values all = call(f_, parts.combine, low);
    all[1] = f_.b.CreateTrunc(all[1], narrow);
    return all;
}

values reduction::fold(std::vector<values> vectors) const {
    for (std::size_t h = vectors.size() / 2; h > 0; h /= 2)
        for (std::size_t v = 0; v < h; ++v) vectors[v] = combine(vectors[v], vectors[v + h]);
    values all = vectors[0];
    for (unsigned h = f_.lanes.width() / 2; h > 0; h /= 2) {
        values low, high;
        for (Value* v : all) {
            low.push_back(f_.b.CreateShuffleVector(v, llvm::createSequentialMask(0, h, 0)));
            high.push_back(f_.b.CreateShuffleVector(v, llvm::createSequentialMask(h, h, 0)));
        }
        all = combine(low, high);
    }
    for (Value*& v : all) v = f_.b.CreateExtractElement(v, uint64_t{0});
    return all;
}

values reduction::state_of(values lane, Value* begin) const {
    if (keyed_)
        lane[0] =
            f_.b.CreateBitCast(key_of(f_.b, lane[0]), like(f_.values.type(parts.acc), lane[0]));
    if (!is(reduction_kind::arg)) return lane;
    if (state_width(f_)) begin = f_.values.splat(begin, state_width(f_));
    lane[1] = f_.b.CreateAdd(f_.b.CreateSExt(lane[1], like(f_.b.getInt64Ty(), lane[1])), begin);
    return lane;
}

Value* reduction::mean(Value* sum, Value* count) const {
    return call(f_, parts.mean, {sum, count})[0];
}

values reduction::merge(values low, Value* n_low, const values& high, Value* n_high) const {
    const bool moments = is(reduction_kind::moments);
    if (moments) low.push_back(n_low);
    low.insert(low.end(), high.begin(), high.end());
    if (moments) low.push_back(n_high);
    return call(f_, moments ? parts.merge : parts.combine, low);
}

void reduction::finish(values state) const {
    if (!is(reduction_kind::arg)) state.push_back(f_.n0);
    if (is(reduction_kind::moments)) state.push_back(f_.row_value(f_.context.at(id).b));
    f_.set_row_value(id, call(f_, parts.finish, state)[0]);
}

}  // namespace sinter::codegen
