#include "jit/codegen/llvm/emit_tile.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::stride_class;
using llvm::Value;

namespace {

constexpr int64_t line_bytes = 64, most_side = 16;
// For all buffers together: as much again is read and written beside them, and everything must fit
// in the first-level cache.
constexpr int64_t few_bytes = 4096, most_bytes = 16384;
// Bytes of outputs: with their inputs they fill a second-level cache.
constexpr int64_t far_bytes = int64_t{1} << 20;

int64_t bytes_of(llvm::Type* t) { return static_cast<int64_t>(t->getPrimitiveSizeInBits() / 8); }

/// Fences a shuffle. LLVM takes ten times as long if it sees the shuffles together, since it tries
/// to reduce their number.
Value* fenced(llvm::IRBuilder<>& b, Value* v) {
    const auto bits = static_cast<unsigned>(v->getType()->getPrimitiveSizeInBits());
    Value* floats = b.CreateBitCast(v, llvm::FixedVectorType::get(b.getFloatTy(), bits / 32));
    floats = b.CreateUnaryIntrinsic(llvm::Intrinsic::arithmetic_fence, floats);
    return b.CreateBitCast(floats, v->getType());
}

}  // namespace

void transpose(llvm::IRBuilder<>& b, std::vector<Value*>& rows, int64_t element_bytes) {
    const std::size_t n = rows.size();
    const std::size_t group =
        std::min<std::size_t>(n, 16 / static_cast<std::size_t>(element_bytes));
    // Each step swaps one bit of the row number with one bit of the lane number, in shuffles that
    // machines have: interleaving units of two rows within 16 bytes, then every second 16 bytes.
    for (std::size_t bit = 1; bit < n; bit *= 2)
        for (std::size_t r = 0; r < n; ++r) {
            if (r & bit) continue;
            std::vector<int> low, high;
            for (std::size_t l = 0; l < n; ++l) {
                std::size_t from, other;
                if (bit < group) {
                    const std::size_t unit = l % group / bit;
                    from = l / group * group + unit / 2 * bit + l % bit + (unit % 2) * n;
                    other = from + group / 2;
                } else {
                    const std::size_t at = l / group * 2, groups = n / group;
                    from = at % groups * group + l % group + at / groups * n;
                    other = from + group;
                }
                low.push_back(static_cast<int>(from));
                high.push_back(static_cast<int>(other));
            }
            Value *x = rows[r], *y = rows[r | bit];
            rows[r] = fenced(b, b.CreateShuffleVector(x, y, low));
            rows[r | bit] = fenced(b, b.CreateShuffleVector(x, y, high));
        }
    // Interleaving leaves the bits within a group reversed.
    const std::vector<Value*> made = rows;
    for (std::size_t r = 0; r < n; ++r) {
        std::size_t from = r / group * group;
        for (std::size_t bit = 1; bit < group; bit *= 2)
            if (r & bit) from += group / 2 / bit;
        rows[r] = made[from];
    }
}

tile_emitter::tile_emitter(function_emitter& f) : f_(f) {
    int64_t bytes = 0, narrowest = 8;
    const kernel& k = f.context.k;
    for (std::size_t o = 0; o < k.operands.size(); ++o) {
        if (k.operands[o].lane != stride_class::across) continue;
        llvm::Type* element = f.values.memory_type(k.operands[o].type);
        bytes += bytes_of(element);
        narrowest = std::min(narrowest, bytes_of(element));
        buffers_.push_back({o, element, nullptr, nullptr});
    }
    rows_ = std::max(line_bytes / narrowest, most_side);
    auto fitting = [&](int64_t limit) {
        int64_t elements = 16;
        while (2 * elements * rows_ * bytes <= limit) elements *= 2;
        return elements;
    };
    few_ = fitting(few_bytes);
    most_ = fitting(most_bytes);
    for (buffer& b : buffers_) {
        b.memory = f.lanes.slot(f.b.getInt8Ty(), f.number(rows_ * pitch(bytes_of(b.element))));
        b.fill = make_fill(static_cast<unsigned>(b.element->getPrimitiveSizeInBits()));
    }
}

/// One line more than the elements need; otherwise rows would share a few sets of the first-level
/// cache.
int64_t tile_emitter::pitch(int64_t element_bytes) const {
    return most_ * element_bytes + line_bytes;
}

void tile_emitter::for_tiles(Value* rows, Value* begin, Value* end,
                             const std::function<void(Value*, Value*)>& body) {
    llvm::IRBuilder<>& b = f_.b;
    const range all{begin, end};
    if (!goes_by_squares()) return tiles({f_.number(0), rows}, all, rows, all, body);
    const int64_t side = f_.lanes.width();
    Value* whole_rows = b.CreateAnd(rows, f_.number(-side));
    Value* whole = b.CreateAdd(begin, b.CreateAnd(b.CreateSub(end, begin), f_.number(-side)));
    squares(whole_rows, begin, whole);
    // The remaining elements of rows, then the remaining rows.
    f_.lanes.each(f_.number(0), f_.number(2), 1, [&](Value* n) {
        Value* first = b.CreateICmpEQ(n, f_.number(0));
        tiles({b.CreateSelect(first, f_.number(0), whole_rows),
               b.CreateSelect(first, whole_rows, rows)},
              {b.CreateSelect(first, whole, begin), end}, rows, all, body);
    });
}

void tile_emitter::tiles(range rows, range elements, Value* all_rows, range all_elements,
                         const std::function<void(Value*, Value*)>& body) {
    llvm::IRBuilder<>& b = f_.b;
    auto lowest = [&](Value* x, Value* y) {
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y);
    };
    int64_t bytes = 0;
    for (const kernel_ir::operand& o : f_.context.k.operands)
        if (o.use == kernel_ir::role::output) bytes += bytes_of(f_.values.memory_type(o.type));
    // Tiles of data in the second-level cache are small and stay in the first-level cache. Data
    // farther away prefers long runs along rows.
    Value* size = b.CreateMul(
        b.CreateMul(b.CreateSub(rows.end, rows.begin), b.CreateSub(elements.end, elements.begin)),
        f_.number(bytes));
    Value* far = b.CreateICmpSGT(size, f_.number(far_bytes));
    Value* step = b.CreateSelect(far, f_.number(most_), f_.number(few_));
    // If a square does not fit, buffers start earlier.
    auto earlier = [&](Value* at, Value* begin, Value* end) {
        Value* last = b.CreateSub(end, f_.number(most_side));
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, lowest(at, last), begin);
    };
    f_.lanes.each(rows.begin, rows.end, rows_, [&](Value* row) {
        Value* last_row = lowest(b.CreateAdd(row, f_.number(rows_)), rows.end);
        Value* first_row = earlier(row, f_.number(0), all_rows);
        f_.lanes.each(elements.begin, elements.end, step, [&](Value* element) {
            Value* stop = lowest(b.CreateAdd(element, step), elements.end);
            Value* first = earlier(element, all_elements.begin, all_elements.end);
            f_.enter_row(first_row, nullptr);
            for (const buffer& t : buffers_) {
                Value* stride = f_.element_stride(t.operand);
                Value* from = b.CreateGEP(b.getInt8Ty(), f_.row_address(t.operand),
                                          b.CreateMul(first, stride));
                b.CreateCall(t.fill, {from, stride, t.memory, b.CreateSub(last_row, first_row),
                                      b.CreateSub(stop, first)});
            }
            f_.lanes.each(row, last_row, 1, [&](Value* r) {
                f_.enter_row(r, nullptr);
                for (const buffer& t : buffers_) {
                    Value* line = b.CreateMul(b.CreateSub(r, first_row),
                                              f_.number(pitch(bytes_of(t.element))));
                    line = b.CreateGEP(b.getInt8Ty(), t.memory, line);
                    f_.set_row_address(t.operand, b.CreateGEP(t.element, line, b.CreateNeg(first)));
                }
                body(element, stop);
            });
        });
    });
}

/// Makes a function (from, step, to, rows, elements) with to[r][e] = from[e][r], where from's
/// elements are `step` bytes apart and its rows are adjacent. The last square starts earlier if it
/// would not fit.
llvm::Function* tile_emitter::make_fill(unsigned bits) {
    llvm::Module& module = f_.context.module;
    const std::string suffix = ".transpose." + std::to_string(bits);
    if (llvm::Function* made = module.getFunction(f_.context.name + suffix)) return made;
    llvm::LLVMContext& c = module.getContext();
    llvm::Type *pointer = llvm::PointerType::getUnqual(c), *i64 = llvm::Type::getInt64Ty(c);
    llvm::Function* function =
        f_.context.add_function(suffix, {pointer, i64, pointer, i64, i64}, false);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(c, "entry", function));
    value_emitter values(b, module, false);
    const auto side = std::min<unsigned>(f_.context.options.shape.bits / bits, most_side);
    lane_emitter lanes(b, values, f_.context.options.shape, side);
    Value *from = function->getArg(0), *step = function->getArg(1), *to = function->getArg(2);
    Value *rows = function->getArg(3), *elements = function->getArg(4);
    const int64_t size = bits / 8, line = pitch(size);
    llvm::Type* word = b.getIntNTy(bits);
    if (bits == 32) word = b.getFloatTy();
    if (bits == 64) word = b.getDoubleTy();
    auto number = [&](int64_t n) { return b.getInt64(static_cast<uint64_t>(n)); };
    auto source = [&](Value* r, Value* e) {
        Value* at = b.CreateGEP(b.getInt8Ty(), from, b.CreateMul(e, step));
        return b.CreateGEP(b.getInt8Ty(), at, b.CreateMul(r, number(size)));
    };
    auto target = [&](Value* r, Value* e) {
        Value* at = b.CreateAdd(b.CreateMul(r, number(line)), b.CreateMul(e, number(size)));
        return b.CreateGEP(b.getInt8Ty(), to, at);
    };
    auto each = [&](Value* end, int64_t by, const std::function<void(Value*)>& body) {
        lanes.each(number(0), end, by, body);
    };
    const llvm::Align unaligned(1);
    Value* least = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, rows, elements);
    Value* squares = b.CreateICmpSGE(least, number(side));
    lanes.if_then(squares, [&] {
        Value *last_e = b.CreateSub(elements, number(side)),
              *last_r = b.CreateSub(rows, number(side));
        auto* vector = llvm::FixedVectorType::get(word, side);
        each(rows, side, [&](Value* r) {
            r = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, r, last_r);
            each(elements, side, [&](Value* e) {
                e = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, e, last_e);
                // Each address is computed from the previous one: invariant addresses would not fit
                // in registers.
                std::vector<Value*> square;
                Value* at = source(r, e);
                for (unsigned n = 0; n < side; ++n) {
                    square.push_back(b.CreateAlignedLoad(vector, at, unaligned));
                    at = b.CreateGEP(b.getInt8Ty(), at, step);
                }
                transpose(b, square, size);
                Value* first = target(r, e);
                for (unsigned n = 0; n < side; ++n)
                    b.CreateAlignedStore(
                        square[n],
                        b.CreateConstGEP1_64(b.getInt8Ty(), first, n * static_cast<uint64_t>(line)),
                        unaligned);
            });
        });
    });
    lanes.if_then(b.CreateNot(squares), [&] {
        each(rows, 1, [&](Value* r) {
            each(elements, 1, [&](Value* e) {
                b.CreateAlignedStore(b.CreateAlignedLoad(word, source(r, e), unaligned),
                                     target(r, e), unaligned);
            });
        });
    });
    b.CreateRetVoid();
    return function;
}

}  // namespace sinter::codegen
