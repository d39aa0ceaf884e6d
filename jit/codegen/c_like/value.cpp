#include "jit/codegen/c_like/value.hpp"

#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/reduce_order.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>
#include <sinter/math/tables/tables.hpp>

#include <bit>
#include <charconv>
#include <cmath>

namespace sinter::codegen {

using kernel_ir::instr;
using kernel_ir::mtype;
using kernel_ir::opcode;

namespace {

/// Returns the unsigned type in which integers of type `t` wrap.
const char* word_type(mtype t) { return t == mtype::i64 ? "u64" : "u32"; }

std::string call(const char* name, const std::string& a) {
    return std::string(name) + "(" + a + ")";
}

std::string call(const char* name, const std::string& a, const std::string& b) {
    return std::string(name) + "(" + a + ", " + b + ")";
}

std::string cast(const std::string& type, const std::string& a) { return "(" + type + ")" + a; }

/// Returns `a op b` on integers of type `t`, with wrapping.
std::string wrapped(mtype t, const std::string& a, const char* op, const std::string& b) {
    const std::string word = word_type(t);
    return cast(c_type(t), "(" + cast(word, a) + " " + op + " " + b + ")");
}

std::string negated(mtype t, const std::string& a) {
    return wrapped(t, "0", "-", cast(word_type(t), a));
}

std::string arithmetic(const instr& i, const std::string& a, const char* op, const std::string& b) {
    if (is_float(i.mt)) return a + " " + op + " " + b;
    return wrapped(i.mt, a, op, cast(word_type(i.mt), b));
}

std::string converted(mtype from, mtype to, const std::string& a) {
    if (from == to) return a;
    if (to == mtype::b1) return a + " != 0";
    if (is_float(from) && to == mtype::u8) return cast("u8", cast("i32", a));
    return cast(c_type(to), a);
}

std::string hexadecimal(uint64_t bits) {
    char text[24];
    const auto end = std::to_chars(text, text + sizeof text, bits, 16);
    return "0x" + std::string(text, end.ptr);
}

template <class T>
std::string float_literal(T value, const char* suffix) {
    char text[48];
    const auto end =
        std::to_chars(text, text + sizeof text, std::fabs(value), std::chars_format::hex);
    return std::string(std::signbit(value) ? "-0x" : "0x") + std::string(text, end.ptr) + suffix;
}

}  // namespace

const char* c_type(mtype t) {
    constexpr const char* names[] = {"bool", "u8", "i32", "i64", "f32", "f64"};
    return names[static_cast<int>(t)];
}

std::string c_literal(mtype t, uint64_t bits) {
    switch (t) {
        case mtype::b1: return bits & 1 ? "true" : "false";
        case mtype::u8: return std::to_string(bits & 0xff);
        case mtype::i32: return "(i32)" + hexadecimal(bits & 0xffffffff) + "u";
        case mtype::i64: return "(i64)" + hexadecimal(bits) + "ull";
        case mtype::f32: {
            const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
            if (std::isfinite(value)) return float_literal(value, "f");
            return call(c_from_bits(mtype::f32), c_literal(mtype::i32, bits));
        }
        case mtype::f64: {
            const double value = std::bit_cast<double>(bits);
            if (std::isfinite(value)) return float_literal(value, "");
            return call(c_from_bits(mtype::f64), c_literal(mtype::i64, bits));
        }
    }
    runtime::bug("c_like", "a machine type has no C type");
}

const char* c_from_bits(mtype t) {
    return t == mtype::f64 ? "__longlong_as_double" : "__int_as_float";
}

const char* c_memory_type(ScalarType type) {
    if (type == kBool) return c_type(mtype::b1);
    if (is_narrow_float(type)) return elementSize(type) == 1 ? "u8" : "u16";
    return info_of(type).gpu;
}

std::string c_narrowed(ScalarType type, const std::string& value) {
    if (!kernel_ir::is_narrow(type)) return value;
    if (is_narrow_float(type))
        return std::string("f32_to_") + info_of(type).gpu + "(" + value + ")";
    return cast(c_memory_type(type), value);
}

std::string c_widened(ScalarType type, const std::string& stored) {
    if (type == kBool) return stored + " != 0";
    if (!kernel_ir::is_narrow(type)) return stored;
    if (is_narrow_float(type)) return info_of(type).gpu + ("_to_f32(" + stored + ")");
    return cast(c_type(kernel_ir::compute_type(type)), stored);
}

std::string c_expression(const dialect& to, const instr& i, const std::string& a,
                         const std::string& b, const std::string& c) {
    const bool real = is_float(i.mt);
    const int wide = i.in_mt == mtype::f64 ? 1 : 0;
    switch (i.op) {
        case opcode::constant: return c_literal(i.mt, i.imm);
        case opcode::add: return arithmetic(i, a, "+", b);
        case opcode::sub: return arithmetic(i, a, "-", b);
        case opcode::mul: return arithmetic(i, a, "*", b);
        case opcode::div: return *to.divide[wide] ? call(to.divide[wide], a, b) : a + " / " + b;
        case opcode::neg: return real ? "-" + a : negated(i.mt, a);
        case opcode::abs:
            if (real) return call(to.abs[wide], a);
            return i.mt == mtype::u8 ? a : a + " < 0 ? " + negated(i.mt, a) + " : " + a;
        case opcode::fma: return call(to.fma[wide], a, b + ", " + c);
        case opcode::sqrt: return call(to.sqrt[wide], a);
        case opcode::floor: return call(to.floor[wide], a);
        case opcode::ceil: return call(to.ceil[wide], a);
        case opcode::trunc: return call(to.trunc[wide], a);
        case opcode::rint: return call(to.rint[wide], a);
        case opcode::idiv: return call((std::string("divide_") + c_type(i.mt)).c_str(), a, b);
        case opcode::irem: return call((std::string("remainder_") + c_type(i.mt)).c_str(), a, b);
        case opcode::and_: return a + " & " + b;
        case opcode::or_: return a + " | " + b;
        case opcode::xor_: return a + " ^ " + b;
        case opcode::not_: return i.mt == mtype::b1 ? "!" + a : cast(c_type(i.mt), "~" + a);
        case opcode::shl: return wrapped(i.mt, a, "<<", b);
        case opcode::shr: return a + " >> " + b;
        case opcode::lshr: return wrapped(i.mt, a, ">>", b);
        case opcode::eq: return a + " == " + b;
        case opcode::ne: return a + " != " + b;
        case opcode::lt: return a + " < " + b;
        case opcode::le: return a + " <= " + b;
        case opcode::gt: return a + " > " + b;
        case opcode::ge: return a + " >= " + b;
        case opcode::select:
        case opcode::rare: return a + " ? " + b + " : " + c;
        case opcode::bits: return call(wide ? "__double_as_longlong" : "__float_as_int", a);
        case opcode::from_bits: return call(c_from_bits(i.mt), a);
        case opcode::convert: return converted(i.in_mt, i.mt, a);
        case opcode::narrow: return c_widened(i.type, c_narrowed(i.type, a));
        case opcode::mulhi_u32: return "(i32)((u64)(u32)" + a + " * (u32)" + b + " >> 32)";
        case opcode::lookup: return c_table_name(i.row) + "[" + a + "]";
        default: break;
    }
    runtime::bug("c_like", runtime::text("the instruction ", kernel_ir::info(i.op).name,
                                         " is not a function of its operands"));
}

std::string c_prelude(const dialect& to) {
    return "enum { reduce_lanes = " + std::to_string(kernel_ir::reduce_lanes) +
           ", reduce_chunk = " + std::to_string(kernel_ir::reduce_chunk) + " };\n" + to.prelude;
}

std::string c_table_name(uint16_t table) { return "table_" + std::to_string(table); }

std::string c_table(const dialect& to, uint16_t table) {
    const math::table_info& info = math::tables[table];
    const mtype type = info.is_double ? mtype::f64 : mtype::f32;
    std::string text =
        std::string(to.table) + " " + c_type(type) + " " + c_table_name(table) + "[] = {";
    for (int32_t n = 0; n < info.size; n++) {
        text += n % 4 == 0 ? "\n    " : " ";
        text += info.is_double ? float_literal(static_cast<const double*>(info.data)[n], "")
                               : float_literal(static_cast<const float*>(info.data)[n], "f");
        text += ',';
    }
    return text + "\n};\n";
}

}  // namespace sinter::codegen
