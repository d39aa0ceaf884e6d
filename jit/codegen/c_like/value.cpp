#include "jit/codegen/c_like/value.hpp"

#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

#include <sinter/error.hpp>
#include <sinter/math/tables.hpp>

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

std::string c_literal(const dialect& to, mtype t, uint64_t bits) {
    switch (t) {
        case mtype::b1: return bits & 1 ? "true" : "false";
        case mtype::u8: return std::to_string(bits & 0xff);
        case mtype::i32: return "(i32)" + hexadecimal(bits & 0xffffffff) + "u";
        case mtype::i64: return "(i64)" + hexadecimal(bits) + "ull";
        case mtype::f32: {
            const float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
            if (std::isfinite(value)) return float_literal(value, "f");
            return call(to.from_bits[0], c_literal(to, mtype::i32, bits));
        }
        case mtype::f64: {
            const double value = std::bit_cast<double>(bits);
            if (std::isfinite(value)) return float_literal(value, "");
            return call(to.from_bits[1], c_literal(to, mtype::i64, bits));
        }
    }
    throw InternalError("[c_like] no such type");
}

const char* c_memory_type(ScalarType type) {
    switch (type) {
        case kHalf:
        case kBFloat16: return "u16";
        case kChar: return "i8";
        case kShort: return "i16";
        default: return c_type(kernel_ir::compute_type(type));
    }
}

std::string c_narrowed(ScalarType type, const std::string& value) {
    switch (type) {
        case kHalf: return "f32_to_half(" + value + ")";
        case kBFloat16: return "f32_to_bfloat(" + value + ")";
        case kChar:
        case kShort: return std::string("(") + c_memory_type(type) + ")" + value;
        default: return value;
    }
}

std::string c_widened(ScalarType type, const std::string& stored) {
    switch (type) {
        case kBool: return stored + " != 0";
        case kHalf: return "half_to_f32(" + stored + ")";
        case kBFloat16: return "bfloat_to_f32(" + stored + ")";
        case kChar:
        case kShort: return "(i32)" + stored;
        default: return stored;
    }
}

std::string c_expression(const dialect& to, const instr& i, const std::string& a,
                         const std::string& b, const std::string& c) {
    const bool real = is_float(i.mt);
    const int wide = i.in_mt == mtype::f64 ? 1 : 0;
    switch (i.op) {
        case opcode::constant: return c_literal(to, i.mt, i.imm);
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
        case opcode::bits: return call(to.bits[wide], a);
        case opcode::from_bits: return call(to.from_bits[i.mt == mtype::f64 ? 1 : 0], a);
        case opcode::convert: return converted(i.in_mt, i.mt, a);
        case opcode::narrow: return c_widened(i.type, c_narrowed(i.type, a));
        case opcode::mulhi_u32: return "(i32)((u64)(u32)" + a + " * (u32)" + b + " >> 32)";
        case opcode::lookup: return c_table_name(i.row) + "[" + a + "]";
        default: break;
    }
    throw InternalError(std::string("[c_like] not a value of values; got ") +
                        kernel_ir::info(i.op).name);
}

namespace {

/// Replaces `@fn` and similar words by the spellings of the dialect.
std::string filled(const dialect& to, std::string text) {
    const std::pair<const char*, const char*> words[] = {
        {"@fn", to.function}, {"@bits", to.bits[0]}, {"@from_bits", to.from_bits[0]}};
    for (const auto& [word, spelling] : words) {
        const std::size_t length = std::char_traits<char>::length(word);
        for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;)
            text.replace(at, length, spelling);
    }
    return text;
}

/// Returns the functions of integer quotient and remainder. A zero divisor gives 0 and the
/// dividend; the minimum divided by -1 wraps.
std::string division(const dialect& to, mtype t) {
    const std::string type = c_type(t), word = word_type(t);
    std::string text = to.function;
    text += " " + type + " divide_" + type + "(" + type + " a, " + type + " b) {\n";
    if (t != mtype::u8) text += "    if (b == -1) return " + negated(t, "a") + ";\n";
    text += "    return b == 0 ? 0 : a / b;\n}\n";
    text += to.function;
    text += " " + type + " remainder_" + type + "(" + type + " a, " + type + " b) {\n";
    text += "    return (" + type + ")((" + word + ")a - (" + word + ")divide_" + type +
            "(a, b) * (" + word + ")b);\n}\n";
    return text;
}

constexpr const char* types_text = R"(typedef unsigned char u8;
typedef signed char i8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
)";

// The same conversions as in half.cpp and bfloat16.cpp, which explain them.
constexpr const char* half_text = R"(@fn u16 f32_to_half(f32 x) {
    const u32 word = (u32)@bits(x), sign = word >> 16 & 0x8000u, magnitude = word & 0x7fffffffu;
    const u32 subnormal = (u32)@bits(@from_bits((i32)magnitude) + 0.5f) - 0x3f000000u;
    const u32 normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
    const u32 special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    const u32 finite = magnitude < 0x38800000u ? subnormal : normal;
    return (u16)(sign | (magnitude < 0x47800000u ? finite : special));
}
@fn f32 half_to_f32(u16 half) {
    const u32 sign = (u32)(half & 0x8000u) << 16, magnitude = (u32)(half & 0x7fffu) << 13;
    const f32 subnormal = @from_bits((i32)(magnitude + 0x38800000u)) - 0x1p-14f;
    const u32 finite = magnitude < 0x00800000u ? (u32)@bits(subnormal) : magnitude + 0x38000000u;
    const u32 special = magnitude + 0x70000000u;
    return @from_bits((i32)(sign | (magnitude >= 0x0f800000u ? special : finite)));
}
)";
constexpr const char* bfloat_text = R"(@fn u16 f32_to_bfloat(f32 x) {
    const u32 word = (u32)@bits(x), top = word >> 16;
    if ((word & 0x7fffffffu) > 0x7f800000u) return (u16)(top | ((top & 0x7fu) == 0 ? 0x40u : 0u));
    return (u16)((word + 0x7fffu + (top & 1u)) >> 16);
}
@fn f32 bfloat_to_f32(u16 bfloat) {
    return @from_bits((i32)((u32)bfloat << 16));
}
)";

// For map kernels: form.hpp.
constexpr const char* elements_text =
    R"(template <class T, int n, int size> struct alignas(size) pack {
    typedef T element;
    enum { count = n };
    T at[n];
};
struct divisor { u32 d, factor, shift; };
@fn u32 quotient(u32 n, divisor by) {
    return ((u32)((u64)n * by.factor >> 32) + n) >> by.shift;
}
)";

}  // namespace

std::string c_prelude(const dialect& to) {
    std::string text = types_text;
    text += "enum { reduce_lanes = " + std::to_string(kernel_ir::reduce_lanes) +
            ", reduce_chunk = " + std::to_string(kernel_ir::reduce_chunk) + " };\n";
    text += to.declarations;
    for (mtype t : {mtype::u8, mtype::i32, mtype::i64}) text += division(to, t);
    const bool native = *to.native_macro;
    if (native)
        text += "#ifdef " + std::string(to.native_macro) + "\n" + to.native_half + "#else\n";
    text += filled(to, half_text);
    if (native) text += "#endif\n";
    return text + filled(to, bfloat_text) + filled(to, elements_text);
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
        text += ",";
    }
    return text + "\n};\n";
}

}  // namespace sinter::codegen
