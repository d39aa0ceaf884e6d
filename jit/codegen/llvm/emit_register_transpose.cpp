// Register transpose for light kernels: squares of whole vectors are transposed and used without
// leaving registers.
#include "jit/codegen/llvm/emit_tile.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::opcode;
using kernel_ir::stride_class;
using llvm::Value;

namespace {

/// Most operations of such a kernel. The code is repeated for each row of a square, so more would
/// take long to compile, and the cost of a buffer would not matter.
constexpr std::size_t most_work = 12;
/// Size of a block of consecutive squares. Transposed operands are read in whole cache lines, and
/// the rest of a line is still in the second-level cache when the next squares need it.
constexpr int64_t block_rows = 64, block_elements = 256, mirrored_block = 32;

}  // namespace

bool tile_emitter::goes_by_squares() const {
    const kernel_context& c = f_.context;
    if (c.order.stages.size() != 1 || !c.order.after.empty() ||
        f_.lanes.has_slow_tail(c.k, c.options.shape))
        return false;
    const kernel_ir::stage& s = c.order.stages[0];
    // Row values are recomputed in each square.
    for (value_id id : s.before)
        if (c.at(id).op != opcode::load && c.at(id).op != opcode::scalar) return false;
    const unsigned side = f_.lanes.width();
    for (const buffer& t : buffers_)
        if (t.element->getPrimitiveSizeInBits() * side > c.options.shape.bits) return false;
    return s.elements.size() + s.stores.size() <= most_work && side <= 16;
}

Value* tile_emitter::mirrors() {
    llvm::IRBuilder<>& b = f_.b;
    const auto& operands = f_.context.k.operands;
    f_.enter_row(f_.number(0), nullptr);
    Value* found = b.getFalse();
    for (const buffer& t : buffers_)
        for (std::size_t o = 0; o < operands.size(); ++o) {
            if (operands[o].use != kernel_ir::role::input ||
                operands[o].lane != stride_class::unit ||
                operands[o].type != operands[t.operand].type)
                continue;
            Value* same = b.CreateICmpEQ(f_.row_address(o), f_.row_address(t.operand));
            Value* steps = b.CreateICmpEQ(f_.row_stride(o), f_.element_stride(t.operand));
            found = b.CreateOr(found, b.CreateAnd(same, steps));
        }
    return found;
}

void tile_emitter::squares(Value* rows, Value* begin, Value* end) {
    using values = lane_emitter::values;
    llvm::IRBuilder<>& b = f_.b;
    const auto& operands = f_.context.k.operands;
    const int64_t side = f_.lanes.width();
    auto behind = [&](Value* first, Value* size, Value* last) {
        return b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b.CreateAdd(first, size), last);
    };
    // If an operand is also read along its lanes, this block mirrors another block. Running that
    // one next finds the same lines in the first-level cache.
    Value* mirrored = b.CreateAnd(mirrors(), b.CreateICmpEQ(begin, f_.number(0)));
    mirrored = b.CreateAnd(mirrored, b.CreateICmpSLE(rows, end));
    auto choose = [&](Value* yes, Value* no) { return b.CreateSelect(mirrored, yes, no); };
    Value* height = choose(f_.number(mirrored_block), f_.number(block_rows));
    Value* width = choose(f_.number(mirrored_block), f_.number(block_elements));
    auto for_blocks = [&](const std::function<void(range, range)>& body) {
        f_.lanes.each(f_.number(0), rows, height, [&](Value* row) {
            f_.lanes.each(choose(row, begin), end, width, [&](Value* element) {
                Value* two = b.CreateAnd(mirrored, b.CreateICmpNE(row, element));
                two = b.CreateAnd(two, b.CreateICmpSLT(element, rows));
                Value* times = b.CreateSelect(two, f_.number(2), f_.number(1));
                f_.lanes.each(f_.number(0), times, 1, [&](Value* time) {
                    Value* first = b.CreateICmpEQ(time, f_.number(0));
                    Value* r = b.CreateSelect(first, row, element);
                    Value* e = b.CreateSelect(first, element, row);
                    body({r, behind(r, height, rows)}, {e, behind(e, width, end)});
                });
            });
        });
    };
    for_blocks([&](range block, range elements) {
        f_.lanes.each(block.begin, block.end, side, [&](Value* row) {
            f_.enter_row(row, nullptr);
            // Addresses advance from square to square and from row to row: an invariant address for
            // each row and operand would not fit in registers.
            values at;
            for (std::size_t o = 0; o < operands.size(); ++o)
                at.push_back(f_.moved(o, f_.row_address(o),
                                      b.CreateMul(elements.begin, f_.element_stride(o))));
            f_.lanes.loop(elements.begin, elements.end, side, at, [&](Value*, const values& here) {
                square(here);
                values next;
                for (std::size_t o = 0; o < operands.size(); ++o)
                    next.push_back(
                        f_.moved(o, here[o], b.CreateMul(f_.element_stride(o), f_.number(side))));
                return next;
            });
        });
    });
}

void tile_emitter::square(const std::vector<Value*>& first) {
    llvm::IRBuilder<>& b = f_.b;
    const kernel_context& c = f_.context;
    const kernel_ir::stage& stage = c.order.stages[0];
    const unsigned side = f_.lanes.width();
    std::vector<std::vector<Value*>> turned(c.k.operands.size());
    for (const buffer& t : buffers_) {
        const auto bits = static_cast<unsigned>(t.element->getPrimitiveSizeInBits());
        llvm::Type* word = b.getIntNTy(bits);
        if (bits == 32) word = b.getFloatTy();
        if (bits == 64) word = b.getDoubleTy();
        auto* vector = llvm::FixedVectorType::get(word, side);
        std::vector<Value*>& lines = turned[t.operand];
        Value* at = first[t.operand];
        for (unsigned n = 0; n < side; ++n) {
            lines.push_back(b.CreateAlignedLoad(vector, at, llvm::Align(1)));
            at = b.CreateGEP(b.getInt8Ty(), at, f_.element_stride(t.operand));
        }
        transpose(b, lines, bits / 8);
        for (Value*& line : lines)
            line = b.CreateBitCast(line, llvm::FixedVectorType::get(t.element, side));
    }
    std::vector<value_id> roots;
    for (value_id s : stage.stores) roots.push_back(c.at(s).b);
    std::vector<value_id> ids = c.needed(stage.elements, roots), across;
    const auto is_across = [&](value_id id) {
        const instr& i = c.at(id);
        return i.op == opcode::load &&
               c.k.operands[static_cast<std::size_t>(i.a)].lane == stride_class::across;
    };
    std::copy_if(ids.begin(), ids.end(), std::back_inserter(across), is_across);
    std::erase_if(ids, is_across);
    ids.insert(ids.end(), stage.stores.begin(), stage.stores.end());
    std::vector<Value*> line = first;
    for (unsigned n = 0; n < side; ++n) {
        f_.enter_at(line);
        f_.emit_row(stage.before);
        std::vector<lane_point> points{f_.point(f_.number(0), nullptr)};
        for (value_id id : across) {
            const auto o = static_cast<std::size_t>(c.at(id).a);
            points[0].values[static_cast<std::size_t>(id)] =
                f_.values.from_memory(c.k.operands[o].type, turned[o][n]);
        }
        f_.emit_elements(ids, points);
        for (std::size_t o = 0; o < line.size(); ++o)
            line[o] = f_.moved(o, line[o], f_.row_stride(o));
    }
}

}  // namespace sinter::codegen
