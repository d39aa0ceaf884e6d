// Kernels as text. No format depends on it, but golden tests compare it, so it is stable.
#include "jit/kernel_ir/print.hpp"

#include "jit/kernel_ir/opcodes.hpp"

#include <bit>
#include <cstdio>

namespace sinter::kernel_ir {

namespace {

std::string value(value_id v) { return v == none ? " none" : " %" + std::to_string(v); }

/// Returns the bit pattern, and for floats the number that it stands for.
std::string constant_text(mtype t, uint64_t bits) {
    char text[64];
    switch (t) {
        case mtype::f32:
            std::snprintf(text, sizeof text, " 0x%08llx (%.9g)",
                          static_cast<unsigned long long>(bits),
                          static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))));
            break;
        case mtype::f64:
            std::snprintf(text, sizeof text, " 0x%016llx (%.17g)",
                          static_cast<unsigned long long>(bits), std::bit_cast<double>(bits));
            break;
        case mtype::i32: std::snprintf(text, sizeof text, " %d", static_cast<int32_t>(bits)); break;
        default: std::snprintf(text, sizeof text, " %lld", static_cast<long long>(bits));
    }
    return text;
}

std::string row_name(const instr& i) {
    if (i.op == opcode::row) {
        return i.row < op::count ? op::rows[i.row].name : "?" + std::to_string(i.row);
    }
    if (i.row < static_cast<uint16_t>(op::reduction::count)) return op::reductions[i.row].name;
    return "?" + std::to_string(i.row);
}

bool converts(opcode op) {
    switch (op) {
        case opcode::bits:
        case opcode::from_bits:
        case opcode::convert:
        case opcode::eq:
        case opcode::ne:
        case opcode::lt:
        case opcode::le:
        case opcode::gt:
        case opcode::ge: return true;
        default: return false;
    }
}

std::string operation(const instr& i) {
    const std::string type = std::string(" ") + name_of(i.type);
    switch (i.op) {
        case opcode::load:
        case opcode::index: return info(i.op).name + type + " @" + std::to_string(i.a);
        case opcode::scalar: return "scalar" + type + " #" + std::to_string(i.a);
        case opcode::store: return "store" + type + " @" + std::to_string(i.a) + value(i.b);
        case opcode::cast: return "cast" + type + " " + name_of(i.in) + value(i.a);
        case opcode::reduce: {
            std::string text = "reduce." + row_name(i) + type + " " + name_of(i.in) + value(i.a);
            if (i.b != none) text += value(i.b);
            return text;
        }
        case opcode::row: {
            std::string text =
                (i.fast ? "fast." : "row.") + row_name(i) + type + " " + name_of(i.in);
            for_each_value(i, [&](value_id v) { text += value(v); });
            return text;
        }
        default: break;
    }
    if (!is_opcode(i.op)) return "opcode?" + std::to_string(static_cast<int>(i.op));
    std::string text = std::string(info(i.op).name) + " " + name_of(i.mt);
    if (converts(i.op)) text += std::string(" ") + name_of(i.in_mt);
    if (i.op == opcode::constant) text += constant_text(i.mt, i.imm);
    if (i.op == opcode::lookup) text += " table " + std::to_string(i.row);
    if (i.op == opcode::guard) text += " status " + std::to_string(i.imm);
    for_each_value(i, [&](value_id v) { text += value(v); });
    return text;
}

}  // namespace

std::string print(const instr& i, value_id id) {
    std::string text = "%" + std::to_string(id) + " = " + operation(i);
    if (i.dom == domain::row) text += " : row";
    return text;
}

std::string print(const kernel& k) {
    std::string text = k.primitive ? "kernel primitives" : "kernel rows";
    text += k.along == lanes::element ? ", lanes along elements" : ", lanes along rows";
    switch (k.form) {
        case row_form::any: break;
        case row_form::one_chunk: text += ", one chunk a row"; break;
        case row_form::up_to_32: text += ", up to 32 elements a row"; break;
        case row_form::up_to_16: text += ", up to 16 elements a row"; break;
        case row_form::runs: text += ", rows run by run"; break;
        case row_form::few: text += ", few elements a row"; break;
    }
    text += '\n';
    for (std::size_t i = 0; i < k.operands.size(); i++) {
        const operand& o = k.operands[i];
        text += "@" + std::to_string(i) + " " + name_of(o.use) + " " + name_of(o.type) + " " +
                name_of(o.lane) + "\n";
    }
    for (std::size_t i = 0; i < k.scalars.size(); i++) {
        text += "#" + std::to_string(i) + " " + name_of(k.scalars[i]);
        for (const known_scalar& s : k.known)
            if (static_cast<std::size_t>(s.number) == i)
                text += " is" + constant_text(k.scalars[i], s.bits);
        text += '\n';
    }
    if (k.extent != 0) text += "extent " + std::to_string(k.extent) + "\n";
    for (std::size_t i = 0; i < k.body.size(); i++) {
        text += print(k.body[i], static_cast<value_id>(i)) + "\n";
    }
    return text;
}

}  // namespace sinter::kernel_ir
