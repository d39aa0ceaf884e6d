// Passes over elements, whole or in parts (loop_fission.hpp).
#include "jit/codegen/llvm/emit_function.hpp"
#include "jit/codegen/llvm/loop_fission.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::opcode;
using llvm::Value;

namespace {

bool has_formula(const kernel_context& context, const std::vector<value_id>& ids) {
    return std::any_of(ids.begin(), ids.end(),
                       [&](value_id id) { return is_of_formula(context.at(id)); });
}

}  // namespace

void function_emitter::store_pass(const std::vector<value_id>& stores,
                                  const std::vector<value_id>& elements, Value* begin, Value* end) {
    std::vector<value_id> roots;
    for (value_id s : stores) roots.push_back(context.at(s).b);
    std::vector<value_id> ids = context.needed(elements, roots);
    const auto run = [&] {
        hoist(ids);
        drop_emitted(ids);
        if (!context.along_elements()) {
            ids.insert(ids.end(), stores.begin(), stores.end());
            run_part({ids, {}, {}}, 1, begin, begin, end);
            return;
        }
        std::vector<pass_part> parts = split(ids, roots);
        const unsigned unroll = unroll_of(ids, parts.size());
        parts.back().ids.insert(parts.back().ids.end(), stores.begin(), stores.end());
        if (parts.size() == 1) {
            run_part(parts[0], unroll, begin, begin, end);
            return;
        }
        lanes.each(begin, end, part_elements(), [&](Value* from) {
            Value* size = lanes.at_most(b.CreateSub(end, from), part_elements());
            for (const pass_part& part : parts)
                run_part(part, unroll, from, from, b.CreateAdd(from, size));
        });
    };
    // The loops of an empty row end at once, but what is hoisted from them may read memory that is
    // not there, or raise an error that is none.
    const bool hoists_effects = std::any_of(ids.begin(), ids.end(), [&](value_id id) {
        const kernel_ir::instr& i = context.at(id);
        return i.op == opcode::guard || (i.op == opcode::load && k().operands[index(i.a)].lane ==
                                                                     kernel_ir::stride_class::zero);
    });
    if (hoists_effects)
        lanes.if_then(b.CreateICmpSLT(begin, end), run);
    else
        run();
}

void function_emitter::drop_emitted(std::vector<value_id>& ids) const {
    std::erase_if(ids, [&](value_id id) {
        return context.is_rare(id) || rows_[row_].hoisted[index(id)] != nullptr;
    });
}

std::vector<pass_part> function_emitter::split(std::vector<value_id> ids,
                                               const std::vector<value_id>& roots) const {
    drop_emitted(ids);
    std::vector<pass_part> parts;
    if (!lanes.has_slow_tail(k(), context.options.shape) &&
        (has_formula(context, ids) || ids.size() > 64))
        parts = split_pass(context, ids, roots);
    if (parts.size() < 2) parts = {{std::move(ids), {}, {}}};
    return parts;
}

unsigned function_emitter::unroll_of(const std::vector<value_id>& ids, std::size_t parts) const {
    const bool formula = has_formula(context, ids);
    if (parts > 1) return formula ? 2 : 1;  // of two vectors at a time, short parts are still short
    const bool slow = lanes.has_slow_tail(k(), context.options.shape);
    return slow || ids.size() > 320 || (ids.size() > 24 && !formula) ? 1 : 2;
}

void function_emitter::run_part_at(const pass_part& part, std::vector<lane_point>& points,
                                   Value* chunk) {
    for (value_id id : part.taken)
        for (lane_point& at : points)
            at.values[index(id)] =
                b.CreateAlignedLoad(buffers_[id].type, in_buffer(id, at, chunk), llvm::Align(64));
    emit_elements(part.ids, points);
    for (value_id id : part.kept)
        for (lane_point& at : points) {
            Value* value = lanes_of(id, at);
            if (!buffers_[id].memory) {
                buffers_[id] = {value->getType(),
                                lanes.slot(value->getType(), number(chunk_vectors))};
            }
            b.CreateAlignedStore(value, in_buffer(id, at, chunk), llvm::Align(64));
        }
}

void function_emitter::run_part(const pass_part& part, unsigned unroll, Value* chunk, Value* begin,
                                Value* end) {
    // Runs [from, to) `vectors` vectors at a time. If `masked`, the last ones are partial;
    // otherwise the rest is left.
    auto run = [&](unsigned vectors, int64_t step, Value* from, Value* to, bool masked) {
        return lanes.each(from, to, step * vectors, [&](Value* e) {
            std::vector<lane_point> points;
            for (unsigned u = 0; u < vectors; ++u) {
                Value* active = masked ? lanes.at_most(b.CreateSub(to, e), step) : nullptr;
                points.push_back(point(b.CreateAdd(e, number(u * step)), active));
            }
            run_part_at(part, points, chunk);
        });
    };
    if (!context.along_elements()) {
        run(1, 1, begin, end, false);
        return;
    }
    int64_t width = lanes.width();
    Value* rest = run(unroll, width, begin, b.CreateSub(end, number(width * unroll - 1)), false);
    run(1, width, rest, end, true);
}

Value* function_emitter::in_buffer(value_id id, const lane_point& at, Value* chunk) {
    const buffer& to = buffers_[id];
    return element_address(to.type->getScalarType(), to.memory, at.element, chunk);
}

}  // namespace sinter::codegen
