#include "jit/codegen/emit_tile.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::stride_class;
using llvm::Value;

namespace {

constexpr int64_t line_bytes = 64;
// Of all buffers: the same again is read and written beside them, and all must fit the first cache.
constexpr int64_t few_bytes = 4096, most_bytes = 16384;
// Of outputs: with what is read for them they fill a second cache.
constexpr int64_t far_bytes = int64_t{1} << 20;

int64_t bytes_of(llvm::Type* t) { return static_cast<int64_t>(t->getPrimitiveSizeInBits() / 8); }

/// Swaps rows and columns of a square of vectors: one bit of both numbers at a time.
void transpose(llvm::IRBuilder<>& b, std::vector<Value*>& rows) {
    const std::size_t n = rows.size();
    for (std::size_t bit = 1; bit < n; bit *= 2)
        for (std::size_t r = 0; r < n; ++r) {
            if (r & bit) continue;
            std::vector<int> low, high;
            for (std::size_t l = 0; l < n; ++l) {
                low.push_back(static_cast<int>(l & bit ? n + (l ^ bit) : l));
                high.push_back(static_cast<int>(l & bit ? n + l : l | bit));
            }
            Value *x = rows[r], *y = rows[r | bit];
            rows[r] = b.CreateShuffleVector(x, y, low);
            rows[r | bit] = b.CreateShuffleVector(x, y, high);
        }
}

}  // namespace

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
    rows_ = std::max<int64_t>(line_bytes / narrowest, 16);
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

/// A line more than the elements take, or rows would share a few sets of the first cache.
int64_t tile_emitter::pitch(int64_t element_bytes) const {
    return most_ * element_bytes + line_bytes;
}

void tile_emitter::expect_outputs(Value* begin, Value* end) {
    llvm::IRBuilder<>& b = f_.b;
    const kernel& k = f_.context.k;
    for (std::size_t o = 0; o < k.operands.size(); ++o) {
        if (k.operands[o].use != kernel_ir::role::output ||
            k.operands[o].lane != stride_class::unit)
            continue;
        llvm::Type* element = f_.values.memory_type(k.operands[o].type);
        f_.lanes.loop(begin, end, line_bytes / bytes_of(element), {},
                      [&](Value* e, const lane_emitter::values&) {
                          Value* at = b.CreateGEP(element, f_.row_address(o), e);
                          b.CreateIntrinsic(llvm::Intrinsic::prefetch, {b.getPtrTy()},
                                            {at, b.getInt32(1), b.getInt32(3), b.getInt32(1)});
                          return lane_emitter::values{};
                      });
    }
}

void tile_emitter::for_tiles(Value* rows, Value* begin, Value* end,
                             const std::function<void(Value*, Value*)>& body) {
    using values = lane_emitter::values;
    llvm::IRBuilder<>& b = f_.b;
    int64_t bytes = 0;
    for (const kernel_ir::operand& o : f_.context.k.operands)
        if (o.use == kernel_ir::role::output) bytes += bytes_of(f_.values.memory_type(o.type));
    // Tiles of the second cache are small and stay in the first; from farther away long runs along
    // rows are what the machine expects, but for the lines that will be written.
    Value* size = b.CreateMul(b.CreateMul(rows, b.CreateSub(end, begin)), f_.number(bytes));
    Value* far = b.CreateICmpSGT(size, f_.number(far_bytes));
    Value* step = b.CreateSelect(far, f_.number(most_), f_.number(few_));
    f_.lanes.loop(f_.number(0), rows, rows_, {}, [&](Value* row, const values&) {
        Value* height = f_.lanes.at_most(b.CreateSub(rows, row), rows_);
        f_.lanes.loop(begin, end, step, {}, [&](Value* element, const values&) {
            auto edge = [&](Value* e) {
                return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(e, step), end);
            };
            Value* stop = edge(element);
            f_.enter_row(row, nullptr);
            for (const buffer& t : buffers_) {
                Value* stride = f_.element_stride(t.operand);
                Value* from = b.CreateGEP(b.getInt8Ty(), f_.row_address(t.operand),
                                          b.CreateMul(element, stride));
                b.CreateCall(t.fill, {from, stride, t.memory, height, b.CreateSub(stop, element)});
            }
            f_.lanes.loop(f_.number(0), height, 1, {}, [&](Value* r, const values&) {
                f_.enter_row(b.CreateAdd(row, r), nullptr);
                f_.lanes.if_then(far, [&] { expect_outputs(stop, edge(stop)); });
                for (const buffer& t : buffers_) {
                    Value* line =
                        b.CreateGEP(b.getInt8Ty(), t.memory,
                                    b.CreateMul(r, f_.number(pitch(bytes_of(t.element)))));
                    f_.set_row_address(t.operand,
                                       b.CreateGEP(t.element, line, b.CreateNeg(element)));
                }
                body(element, stop);
                return values{};
            });
            return values{};
        });
        return values{};
    });
}

/// (from, step, to, rows, elements): to[r][e] = from[e][r], where from's elements are `step` bytes
/// apart and its rows follow each other. Where a square does not fit it begins earlier.
llvm::Function* tile_emitter::make_fill(unsigned bits) {
    llvm::Module& module = f_.context.module;
    const std::string suffix = ".transpose." + std::to_string(bits);
    if (llvm::Function* made = module.getFunction(f_.context.name + suffix)) return made;
    llvm::LLVMContext& c = module.getContext();
    llvm::Type *pointer = llvm::PointerType::getUnqual(c), *i64 = llvm::Type::getInt64Ty(c);
    llvm::Function* function =
        f_.context.add_function(suffix, {pointer, i64, pointer, i64, i64}, false);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(c, "entry", function));
    value_emitter values_(b, module, false);
    using values = lane_emitter::values;
    const unsigned side = std::min(f_.context.options.shape.bits / bits, 16u);
    lane_emitter lanes(b, values_, f_.context.options.shape, side);
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
        lanes.loop(number(0), end, by, {}, [&](Value* i, const values&) {
            body(i);
            return values{};
        });
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
                // Each address from the one before: as many invariant ones would not fit registers.
                std::vector<Value*> square;
                Value* at = source(r, e);
                for (unsigned n = 0; n < side; ++n) {
                    square.push_back(b.CreateAlignedLoad(vector, at, unaligned));
                    at = b.CreateGEP(b.getInt8Ty(), at, step);
                }
                transpose(b, square);
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
