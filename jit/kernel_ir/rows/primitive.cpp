#include "jit/kernel_ir/rows/primitive.hpp"

#include "jit/kernel_ir/print.hpp"
#include "jit/kernel_ir/rows/ir_number.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>
#include <sinter/math/tables/tables.hpp>

#include <cmath>

namespace sinter::kernel_ir {

namespace {

[[noreturn]] void out_of_range(const instr& i, const std::string& got) {
    runtime::bug("interpret", runtime::text("`", print(i, none), "` is undefined for ", got));
}

/// The unsigned type for integer arithmetic, so that it wraps.
template <class T>
using word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <class T>
T wrap(word<T> w) {
    return static_cast<T>(w);
}

template <class T>
uint64_t on_float(const instr& i, T a, T b, T c) {
    switch (i.op) {
        case opcode::add: return bits_of<T>(a + b);
        case opcode::sub: return bits_of<T>(a - b);
        case opcode::mul: return bits_of<T>(a * b);
        case opcode::div: return bits_of<T>(a / b);
        case opcode::neg: return bits_of<T>(std::copysign(a, std::signbit(a) ? T{1} : T{-1}));
        case opcode::abs: return bits_of<T>(std::copysign(a, T{1}));
        case opcode::fma: return bits_of<T>(std::fma(a, b, c));
        case opcode::sqrt: return bits_of<T>(std::sqrt(a));
        case opcode::floor: return bits_of<T>(std::floor(a));
        case opcode::ceil: return bits_of<T>(std::ceil(a));
        case opcode::trunc: return bits_of<T>(std::trunc(a));
        case opcode::rint: return bits_of<T>(std::nearbyint(a));
        default: out_of_range(i, "floats");
    }
}

template <class T>
uint64_t shift(const instr& i, T a, T n) {
    using unsigned_t = std::make_unsigned_t<T>;
    if (n < 0 || static_cast<int64_t>(n) >= static_cast<int64_t>(sizeof(T) * 8)) {
        out_of_range(i, "a count of " + std::to_string(n));
    }
    const auto count = static_cast<int>(n);
    switch (i.op) {
        case opcode::shl: return bits_of(wrap<T>(static_cast<word<T>>(a) << count));
        case opcode::shr: return bits_of(static_cast<T>(a >> count));
        default: return bits_of(static_cast<T>(static_cast<unsigned_t>(a) >> count));
    }
}

template <class T>
T quotient(T a, T b) {
    if (b == 0) return 0;
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return wrap<T>(0 - static_cast<word<T>>(a));
    return static_cast<T>(a / b);
}

template <class T>
uint64_t on_integer(const instr& i, T a, T b) {
    const auto x = static_cast<word<T>>(a), y = static_cast<word<T>>(b);
    switch (i.op) {
        case opcode::add: return bits_of(wrap<T>(x + y));
        case opcode::sub: return bits_of(wrap<T>(x - y));
        case opcode::mul: return bits_of(wrap<T>(x * y));
        case opcode::neg: return bits_of(wrap<T>(0 - x));
        case opcode::abs: return bits_of(wrap<T>(a < 0 ? 0 - x : x));
        case opcode::idiv: return bits_of(quotient(a, b));
        case opcode::irem: return bits_of(wrap<T>(x - static_cast<word<T>>(quotient(a, b)) * y));
        case opcode::and_: return bits_of(wrap<T>(x & y));
        case opcode::or_: return bits_of(wrap<T>(x | y));
        case opcode::xor_: return bits_of(wrap<T>(x ^ y));
        case opcode::not_: return bits_of(wrap<T>(~x));
        case opcode::shl:
        case opcode::shr:
        case opcode::lshr: return shift(i, a, b);
        case opcode::mulhi_u32: return static_cast<uint64_t>(x) * y >> 32;
        default: out_of_range(i, "integers");
    }
}

uint64_t on_mask(const instr& i, uint64_t a, uint64_t b) {
    switch (i.op) {
        case opcode::and_: return a & b;
        case opcode::or_: return a | b;
        case opcode::xor_: return a ^ b;
        case opcode::not_: return a ^ 1;
        default: out_of_range(i, "b1");
    }
}

template <class T>
bool compare(opcode op, T a, T b) {
    switch (op) {
        case opcode::eq: return a == b;
        case opcode::ne: return a != b;
        case opcode::lt: return a < b;
        case opcode::le: return a <= b;
        case opcode::gt: return a > b;
        default: return a >= b;
    }
}

template <class To, class From>
uint64_t convert_to(const instr& i, From x) {
    if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        const From whole = std::trunc(x);
        const From limit = std::ldexp(From{1}, std::numeric_limits<To>::digits);
        const From least = std::is_signed_v<To> ? -limit : From{0};
        if (!(whole >= least && whole < limit)) out_of_range(i, std::to_string(x));
    }
    return bits_of(static_cast<To>(x));
}

template <class From>
uint64_t convert_from(const instr& i, From x) {
    switch (i.mt) {
        case mtype::u8: return convert_to<uint8_t>(i, x);
        case mtype::i32: return convert_to<int32_t>(i, x);
        case mtype::i64: return convert_to<int64_t>(i, x);
        case mtype::f32: return convert_to<float>(i, x);
        case mtype::f64: return convert_to<double>(i, x);
        case mtype::b1: break;
    }
    out_of_range(i, "b1");
}

uint64_t look_up(const instr& i, int32_t at) {
    const math::table_info& table = math::tables[i.row];
    if (at < 0 || at >= table.size) out_of_range(i, "index " + std::to_string(at));
    if (table.is_double) return bits_of(static_cast<const double*>(table.data)[at]);
    return bits_of(static_cast<const float*>(table.data)[at]);
}

/// Evaluates the primitives that depend on the operands' type only.
template <class T>
uint64_t on(const instr& i, uint64_t a, uint64_t b, uint64_t c) {
    const T x = value_of<T>(a), y = value_of<T>(b);
    switch (i.op) {
        case opcode::eq:
        case opcode::ne:
        case opcode::lt:
        case opcode::le:
        case opcode::gt:
        case opcode::ge: return compare(i.op, x, y);
        case opcode::convert: return convert_from(i, x);
        case opcode::bits:
        case opcode::from_bits: return a;
        default: break;
    }
    if constexpr (std::is_floating_point_v<T>)
        return on_float(i, x, y, value_of<T>(c));
    else if constexpr (std::is_same_v<T, bool>)
        return on_mask(i, a, b);
    else
        return on_integer(i, x, y);
}

}  // namespace

uint64_t narrowed(ScalarType type, uint64_t bits) {
    if (!is_narrow(type)) return bits;
    return with_type(type, [&]<real_element T>(std::type_identity<T>) -> uint64_t {
        if constexpr (narrow_float<T>)
            return T::from_float(value_of<float>(bits));
        else
            return bits_of(static_cast<T>(bits));
    });
}

uint64_t widened(ScalarType type, uint64_t bits) {
    if (!is_narrow(type)) return bits;
    return with_type(type, [&]<real_element T>(std::type_identity<T>) {
        if constexpr (narrow_float<T>)
            return bits_of(T::to_float(static_cast<decltype(T::bits)>(bits)));
        else
            return bits_of(static_cast<computed_of<T>>(static_cast<T>(bits)));
    });
}

uint64_t evaluate(const instr& i, uint64_t a, uint64_t b, uint64_t c) {
    switch (i.op) {
        case opcode::constant: return i.imm;
        case opcode::select:
        case opcode::rare: return a ? b : c;
        case opcode::narrow: return widened(i.type, narrowed(i.type, a));
        case opcode::lookup: return look_up(i, value_of<int32_t>(a));
        default: break;
    }
    switch (i.in_mt) {
        case mtype::b1: return on<bool>(i, a, b, c);
        case mtype::u8: return on<uint8_t>(i, a, b, c);
        case mtype::i32: return on<int32_t>(i, a, b, c);
        case mtype::i64: return on<int64_t>(i, a, b, c);
        case mtype::f32: return on<float>(i, a, b, c);
        case mtype::f64: return on<double>(i, a, b, c);
    }
    out_of_range(i, "no type");
}

}  // namespace sinter::kernel_ir
