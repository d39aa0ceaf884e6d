// The properties of every opcode, type and row by name: one table that the verifier, the printer
// and every walk over operands read.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <sinter/op/op.hpp>

namespace sinter::kernel_ir {

enum class level : uint8_t { both, row, primitive };

/// Bits of the instruction slots that hold values.
enum slot : uint8_t { slot_none = 0, slot_a = 1, slot_b = 2, slot_c = 4 };

struct opcode_info {
    opcode op;
    const char* name;
    level at;
    uint8_t values;  // slots; all three for `row`, whose arity says how many are used
};

inline constexpr uint8_t slots_ab = slot_a | slot_b, slots_abc = slot_a | slot_b | slot_c;

inline constexpr opcode_info opcodes[] = {
    {opcode::load, "load", level::both, slot_none},
    {opcode::index, "index", level::both, slot_none},
    {opcode::scalar, "scalar", level::both, slot_none},
    {opcode::reduce, "reduce", level::both, slots_ab},
    {opcode::store, "store", level::both, slot_b},
    {opcode::cast, "cast", level::row, slot_a},
    {opcode::row, "row", level::row, slots_abc},
    {opcode::constant, "constant", level::primitive, slot_none},
    {opcode::add, "add", level::primitive, slots_ab},
    {opcode::sub, "sub", level::primitive, slots_ab},
    {opcode::mul, "mul", level::primitive, slots_ab},
    {opcode::div, "div", level::primitive, slots_ab},
    {opcode::neg, "neg", level::primitive, slot_a},
    {opcode::abs, "abs", level::primitive, slot_a},
    {opcode::fma, "fma", level::primitive, slots_abc},
    {opcode::sqrt, "sqrt", level::primitive, slot_a},
    {opcode::floor, "floor", level::primitive, slot_a},
    {opcode::ceil, "ceil", level::primitive, slot_a},
    {opcode::trunc, "trunc", level::primitive, slot_a},
    {opcode::rint, "rint", level::primitive, slot_a},
    {opcode::idiv, "idiv", level::primitive, slots_ab},
    {opcode::irem, "irem", level::primitive, slots_ab},
    {opcode::and_, "and", level::primitive, slots_ab},
    {opcode::or_, "or", level::primitive, slots_ab},
    {opcode::xor_, "xor", level::primitive, slots_ab},
    {opcode::not_, "not", level::primitive, slot_a},
    {opcode::shl, "shl", level::primitive, slots_ab},
    {opcode::shr, "shr", level::primitive, slots_ab},
    {opcode::lshr, "lshr", level::primitive, slots_ab},
    {opcode::eq, "eq", level::primitive, slots_ab},
    {opcode::ne, "ne", level::primitive, slots_ab},
    {opcode::lt, "lt", level::primitive, slots_ab},
    {opcode::le, "le", level::primitive, slots_ab},
    {opcode::gt, "gt", level::primitive, slots_ab},
    {opcode::ge, "ge", level::primitive, slots_ab},
    {opcode::select, "select", level::primitive, slots_abc},
    {opcode::rare, "rare", level::primitive, slots_abc},
    {opcode::bits, "bits", level::primitive, slot_a},
    {opcode::from_bits, "from_bits", level::primitive, slot_a},
    {opcode::convert, "convert", level::primitive, slot_a},
    {opcode::narrow, "narrow", level::primitive, slot_a},
    {opcode::mulhi_u32, "mulhi_u32", level::primitive, slots_ab},
    {opcode::lookup, "lookup", level::primitive, slot_a},
    {opcode::guard, "guard", level::primitive, slots_ab},
};

inline constexpr std::size_t opcode_count = sizeof(opcodes) / sizeof(opcodes[0]);
static_assert(opcode_count == static_cast<std::size_t>(opcode::guard) + 1);
static_assert([] {
    for (std::size_t i = 0; i < opcode_count; i++) {
        if (opcodes[i].op != static_cast<opcode>(i)) return false;
    }
    return true;
}());

constexpr bool is_opcode(opcode op) { return static_cast<std::size_t>(op) < opcode_count; }
constexpr const opcode_info& info(opcode op) { return opcodes[static_cast<std::size_t>(op)]; }

/// Returns the slots of `i` that must hold a value. A reduction uses slot b only if it is of kind
/// moments.
constexpr uint8_t value_slots(const instr& i) {
    if (i.op == opcode::row) {
        if (i.row >= op::count) return slot_none;
        return static_cast<uint8_t>((1 << op::rows[i.row].arity) - 1);
    }
    if (i.op == opcode::reduce) {
        const bool known = i.row < static_cast<uint16_t>(op::reduction::count);
        const bool moments = known && op::reductions[i.row].kind == op::reduction_kind::moments;
        return moments ? slots_ab : uint8_t{slot_a};
    }
    return info(i.op).values;
}

/// Calls `f` with a reference to each value operand of `i`.
template <class Instr, class F>
void for_each_value(Instr& i, F&& f) {
    const uint8_t slots = value_slots(i);
    if (slots & slot_a) f(i.a);
    if (slots & slot_b) f(i.b);
    if (slots & slot_c) f(i.c);
}

/// Returns the logical type that a machine type holds without narrowing.
constexpr ScalarType logical_type(mtype t) {
    constexpr ScalarType types[] = {kBool, kByte, kInt, kLong, kFloat, kDouble};
    return types[static_cast<int>(t)];
}

constexpr int bit_width(mtype t) {
    constexpr int widths[] = {1, 8, 32, 64, 32, 64};
    return widths[static_cast<int>(t)];
}

constexpr bool is_integer(mtype t) { return !is_float(t) && t != mtype::b1; }

constexpr const char* name_of(mtype t) {
    constexpr const char* names[] = {"b1", "u8", "i32", "i64", "f32", "f64"};
    return static_cast<unsigned>(t) < 6 ? names[static_cast<int>(t)] : "?";
}

inline const char* name_of(ScalarType type) {
    return is_supported(type) && !isComplexType(type) ? info_of(type).name : "?";
}

constexpr const char* name_of(domain d) { return d == domain::row ? "row" : "element"; }

constexpr const char* name_of(role use) {
    constexpr const char* names[] = {"input", "output", "index"};
    return static_cast<unsigned>(use) < 3 ? names[static_cast<int>(use)] : "?";
}

constexpr const char* name_of(stride_class lane) {
    constexpr const char* names[] = {"zero", "unit", "other", "pair", "across"};
    return static_cast<unsigned>(lane) < 5 ? names[static_cast<int>(lane)] : "?";
}

}  // namespace sinter::kernel_ir
