#include "jit/codegen/c_like/formula.hpp"

#include "jit/codegen/c_like/value.hpp"
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/schedule.hpp"

#include <set>
#include <vector>

namespace sinter::codegen {

using kernel_ir::instr;
using kernel_ir::opcode;
using kernel_ir::value_id;

std::string c_formula(const dialect& to, const std::string& name,
                      formula_number (*formula)(formula_number, formula_number)) {
    kernel_ir::builder b;
    const kernel_ir::building scope(b);
    const auto parameter = [&](value_id n) {
        return formula_number::at(b.emit({.op = opcode::scalar,
                                          .type = kDouble,
                                          .mt = formula_number::type,
                                          .dom = kernel_ir::domain::row,
                                          .a = n}));
    };
    const formula_number x = parameter(0), y = parameter(1);
    std::vector<value_id> roots{formula(x, y).id};
    std::vector<instr> body = b.take_body();
    kernel_ir::reorder(body, roots);

    const auto value = [](value_id v) { return "v" + std::to_string(v); };
    std::string tables;
    std::string text =
        std::string(to.function) + " f64 " + name + "(const f64 p0, const f64 p1) {\n";
    std::set<uint16_t> known;
    for (std::size_t v = 0; v < body.size(); v++) {
        const instr& i = body[v];
        if (i.op == opcode::lookup && known.insert(i.row).second) tables += c_table(to, i.row);
        const std::string what = i.op == opcode::scalar
                                     ? "p" + std::to_string(i.a)
                                     : c_expression(to, i, value(i.a), value(i.b), value(i.c));
        text += std::string("    const ") + c_type(i.mt) + " v" + std::to_string(v) + " = " + what +
                ";\n";
    }
    return tables + text + "    return " + value(roots.front()) + ";\n}\n";
}

}  // namespace sinter::codegen
