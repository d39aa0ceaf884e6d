#include "jit/interpret/moves.hpp"

#include "jit/kernel_ir/opcodes.hpp"

#include <vector>

namespace sinter::kernel_ir {
namespace {

std::size_t index_of(value_id v) { return static_cast<std::size_t>(v); }

}  // namespace

kernel with_moves_as_integers(kernel k) {
    const auto is_float_load = [&k](const instr& i) {
        return i.op == opcode::load && is_narrow_float(i.type) &&
               k.operands[index_of(i.a)].type == i.type;
    };
    // Decided per operand, since all accesses to its memory must see one type.
    std::vector<bool> moved(k.operands.size(), false);
    for (const instr& i : k.body)
        if (is_float_load(i)) moved[index_of(i.a)] = true;
    for (const instr& i : k.body) {
        const bool store = i.op == opcode::store;
        if (i.op == opcode::load && !is_float_load(i)) moved[index_of(i.a)] = false;
        for_each_value(i, [&](value_id v) {
            const instr& from = k.body[index_of(v)];
            if (from.op == opcode::load && !(store && i.type == from.type))
                moved[index_of(from.a)] = false;
        });
    }
    const auto is_moved = [&](const instr& i) {
        return i.op == opcode::load && moved[index_of(i.a)];
    };
    const auto make_integer = [&k](instr& i) {
        i.type = k.operands[index_of(i.a)].type = kShort;
        i.mt = compute_type(kShort);
    };
    for (instr& i : k.body)
        if (i.op == opcode::store && is_moved(k.body[index_of(i.b)])) make_integer(i);
    for (instr& i : k.body)
        if (is_moved(i)) make_integer(i);
    return k;
}

}  // namespace sinter::kernel_ir
