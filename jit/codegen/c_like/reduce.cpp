// The parts of reductions as functions with parameters p0, p1, ... and results by reference.
#include "jit/codegen/c_like/kernel.hpp"
#include "jit/codegen/c_like/value.hpp"
#include "jit/kernel_ir/opcodes.hpp"

namespace sinter::codegen {

using kernel_ir::fragment;
using kernel_ir::instr;
using kernel_ir::opcode;
using kernel_ir::value_id;

namespace {

std::string value_name(value_id v) { return "v" + std::to_string(v); }

std::string c_fragment(const dialect& to, const fragment& f, const std::string& name) {
    const auto at = [&](value_id v) -> const instr& { return f.body[static_cast<std::size_t>(v)]; };
    std::string text = std::string(to.function) + " void " + name + "(";
    for (std::size_t p = 0; p < f.parameters.size(); p++) {
        if (p > 0) text += ", ";
        text += std::string(c_type(f.parameters[p])) + " p" + std::to_string(p);
    }
    for (std::size_t r = 0; r < f.results.size(); r++)
        text += std::string(", ") + c_type(at(f.results[r]).mt) + "& r" + std::to_string(r);
    text += ") {\n";
    for (std::size_t v = 0; v < f.body.size(); v++) {
        const instr& i = f.body[v];
        text += std::string("    const ") + c_type(i.mt) + " v" + std::to_string(v) + " = ";
        if (i.op == opcode::scalar)
            text += "p" + std::to_string(i.a);
        else
            text += c_expression(to, i, value_name(i.a), value_name(i.b), value_name(i.c));
        text += ";\n";
    }
    for (std::size_t r = 0; r < f.results.size(); r++)
        text += "    r" + std::to_string(r) + " = " + value_name(f.results[r]) + ";\n";
    return text + "}\n";
}

/// Returns the combination of two states. A dialect may have an instruction for an extreme, which
/// is the prelude's.
std::string c_combine(const dialect& to, uint16_t reduction,
                      const kernel_ir::reduction_fragments& parts, const std::string& name) {
    const bool most = reduction == static_cast<uint16_t>(op::reduction::amax);
    const bool least = reduction == static_cast<uint16_t>(op::reduction::amin);
    if (parts.acc != kernel_ir::mtype::f32 || (!most && !least))
        return c_fragment(to, parts.combine, name);
    return std::string(to.function) + " void " + name +
           "(f32 p0, f32 p1, f32& r0) { r0 = " + (most ? "maximum" : "minimum") +
           "_f32(p0, p1); }\n";
}

}  // namespace

std::string c_reduction_name(uint16_t reduction, ScalarType in) {
    return std::string("reduce_") + op::reductions[reduction].name + "_" + kernel_ir::name_of(in);
}

std::string c_reduction(const dialect& to, uint16_t reduction, ScalarType in) {
    const kernel_ir::reduction_fragments parts = kernel_ir::make_fragments(reduction, in);
    const std::string name = c_reduction_name(reduction, in);
    std::string text = c_fragment(to, parts.prepare, name + "_prepare") +
                       c_combine(to, reduction, parts, name + "_combine") +
                       c_fragment(to, parts.finish, name + "_finish");
    if (parts.kind == op::reduction_kind::moments)
        text += c_fragment(to, parts.mean, name + "_mean") +
                c_fragment(to, parts.deviation, name + "_deviation") +
                c_fragment(to, parts.merge, name + "_merge");
    return text;
}

}  // namespace sinter::codegen
