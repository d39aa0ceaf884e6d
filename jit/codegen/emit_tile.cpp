#include "jit/codegen/emit_tile.hpp"

namespace sinter::codegen {

using kernel_ir::stride_class;
using llvm::Value;

namespace {

constexpr int64_t tile_rows = 64;
constexpr int64_t tile_bytes = 16384;  // of all buffers

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
    int64_t bytes = 0;
    const kernel& k = f.context.k;
    for (std::size_t o = 0; o < k.operands.size(); ++o) {
        if (k.operands[o].lane != stride_class::across) continue;
        llvm::Type* element = f.values.memory_type(k.operands[o].type);
        bytes += bytes_of(element);
        buffers_.push_back({o, element, nullptr, nullptr});
    }
    elements_ = 16;
    while (elements_ < 128 && 2 * elements_ * tile_rows * bytes <= tile_bytes) elements_ *= 2;
    for (buffer& b : buffers_) {
        b.memory = f.lanes.slot(f.b.getInt8Ty(), f.number(tile_rows * pitch(b)));
        b.fill = make_fill(static_cast<unsigned>(b.element->getPrimitiveSizeInBits()));
    }
}

int64_t tile_emitter::pitch(const buffer& b) const { return elements_ * bytes_of(b.element); }

void tile_emitter::for_tiles(Value* rows, Value* begin, Value* end,
                             const std::function<void(Value*, Value*)>& body) {
    using values = lane_emitter::values;
    llvm::IRBuilder<>& b = f_.b;
    f_.lanes.loop(f_.number(0), rows, tile_rows, {}, [&](Value* row, const values&) {
        Value* height = f_.lanes.at_most(b.CreateSub(rows, row), tile_rows);
        f_.lanes.loop(begin, end, elements_, {}, [&](Value* element, const values&) {
            Value* width = f_.lanes.at_most(b.CreateSub(end, element), elements_);
            f_.enter_row(row, nullptr);
            for (const buffer& t : buffers_) {
                Value* step = f_.element_stride(t.operand);
                Value* from = b.CreateGEP(b.getInt8Ty(), f_.row_address(t.operand),
                                          b.CreateMul(element, step));
                b.CreateCall(t.fill, {from, step, t.memory, height, width});
            }
            f_.lanes.loop(f_.number(0), height, 1, {}, [&](Value* r, const values&) {
                f_.enter_row(b.CreateAdd(row, r), nullptr);
                for (const buffer& t : buffers_) {
                    Value* line =
                        b.CreateGEP(b.getInt8Ty(), t.memory, b.CreateMul(r, f_.number(pitch(t))));
                    f_.set_row_address(t.operand,
                                       b.CreateGEP(t.element, line, b.CreateNeg(element)));
                }
                body(element, b.CreateAdd(element, width));
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
    const int64_t size = bits / 8, line = elements_ * size;
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
        each(elements, side, [&](Value* e) {
            e = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, e, last_e);
            each(rows, side, [&](Value* r) {
                r = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, r, last_r);
                std::vector<Value*> square;
                for (unsigned n = 0; n < side; ++n)
                    square.push_back(b.CreateAlignedLoad(
                        vector, source(r, b.CreateAdd(e, number(n))), unaligned));
                transpose(b, square);
                for (unsigned n = 0; n < side; ++n)
                    b.CreateAlignedStore(square[n], target(b.CreateAdd(r, number(n)), e),
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
