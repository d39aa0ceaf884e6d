// Which rows have another formula under fast math.
#pragma once

#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/rows/builder.hpp"
#include "jit/kernel_ir/rows/rows.hpp"

#include <sinter/op/op.hpp>

#include <vector>

namespace sinter::test {

/// Returns true if the formula of a row over floats, computed in `t`, asks V::fast().
inline bool has_fast_form(op::id row, kernel_ir::mtype t) {
    std::vector<kernel_ir::instr> bodies[2];
    const kernel_ir::expand_fn formula = kernel_ir::row_expansion(row, t);
    if (!formula) return false;
    for (const bool fast : {false, true}) {
        kernel_ir::builder b;
        const kernel_ir::building scope(b);
        b.fast = fast;
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
        bodies[fast] = b.take_body();
    }
    return bodies[0] != bodies[1];
}

}  // namespace sinter::test
