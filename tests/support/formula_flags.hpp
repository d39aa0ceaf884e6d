// Which rows have another formula under fast math, or for narrow results.
#pragma once

#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/rows/builder.hpp"
#include "jit/kernel_ir/rows/rows.hpp"

#include <sinter/op/op.hpp>

#include <vector>

namespace sinter::test {

/// Returns true if the formula of a row over floats, computed in `t`, asks for this flag.
inline bool asks_for(bool kernel_ir::builder::* flag, op::id row, kernel_ir::mtype t) {
    std::vector<kernel_ir::instr> bodies[2];
    const kernel_ir::expand_fn formula = kernel_ir::row_expansion(row, t);
    if (!formula) return false;
    for (const bool set : {false, true}) {
        kernel_ir::builder b;
        const kernel_ir::building scope(b);
        b.*flag = set;
        kernel_ir::value_id arguments[3];
        for (int k = 0; k < 3; ++k) {
            const bool condition = op::info(row).rule == dtype_rule::choice && k == 0;
            const kernel_ir::mtype type = condition ? kernel_ir::mtype::b1 : t;
            arguments[k] = b.emit({.op = kernel_ir::opcode::load,
                                   .type = kernel_ir::logical_type(type),
                                   .mt = type,
                                   .dom = kernel_ir::domain::element,
                                   .a = k});
        }
        formula(arguments);
        bodies[set] = b.take_body();
    }
    return bodies[0] != bodies[1];
}
inline bool has_fast_form(op::id row, kernel_ir::mtype t) {
    return asks_for(&kernel_ir::builder::fast, row, t);
}

}  // namespace sinter::test
