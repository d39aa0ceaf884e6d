// ir<T>: the kernel-IR family of the algebra (math/algebra.hpp). Each operation appends a primitive
// to the current builder, so calling a row's formula on these numbers expands it. Only conversions
// of constants and double negations are folded: the code must stay as the formula says, and code
// generators fold better.
#pragma once

#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/rows/builder.hpp"

#include <sinter/math/algebra.hpp>
#include <sinter/math/tables/tables.hpp>

#include <bit>
#include <concepts>
#include <cstring>

namespace sinter::kernel_ir {

template <class T>
constexpr mtype mtype_of() {
    if constexpr (std::is_same_v<T, bool>)
        return mtype::b1;
    else if constexpr (std::is_same_v<T, uint8_t>)
        return mtype::u8;
    else if constexpr (std::is_same_v<T, int32_t>)
        return mtype::i32;
    else if constexpr (std::is_same_v<T, int64_t>)
        return mtype::i64;
    else if constexpr (std::is_same_v<T, float>)
        return mtype::f32;
    else {
        static_assert(std::is_same_v<T, double>);
        return mtype::f64;
    }
}

/// Returns the bits of `value` in the low bytes; the rest is zero.
template <class T>
uint64_t bits_of(T value) {
    uint64_t bits = 0;
    static_assert(std::endian::native == std::endian::little);
    std::memcpy(&bits, &value, sizeof value);
    return bits;
}

template <class T>
T value_of(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

namespace detail {
inline value_id emit(opcode op, mtype mt, mtype in_mt, value_id a, value_id b = none,
                     value_id c = none, uint16_t row = 0, uint64_t imm = 0) {
    instr i{.op = op, .type = logical_type(mt), .mt = mt, .in_mt = in_mt};
    i.row = row;
    i.a = a;
    i.b = b;
    i.c = c;
    i.imm = imm;
    return builder::current().emit(i);
}
inline const instr& definition(value_id v) { return builder::current().at(v); }
}  // namespace detail

template <class T>
struct ir {
    using scalar = T;
    using mask = ir<bool>;
    template <class U>
    using as = ir<U>;
    static bool brief() { return std::is_same_v<T, float> && builder::current().brief; }
    static bool fast() { return builder::current().fast; }

    value_id id = none;

    ir() = default;
    explicit ir(double c) : ir(from(static_cast<T>(c))) {}
    explicit ir(int c) : ir(from(static_cast<T>(c))) {}
    template <std::same_as<T> S>
        requires(!std::same_as<S, int> && !std::same_as<S, double>)
    explicit ir(S c) : ir(from(c)) {}
    static ir from(T c) { return at(builder::current().constant(type, bits_of(c))); }
    /// Wraps the builder's value `id`, which has machine type `type`.
    static ir at(value_id id) {
        ir x;
        x.id = id;
        return x;
    }

    static constexpr mtype type = mtype_of<T>();

private:
    static constexpr bool real = std::is_floating_point_v<T>;
    static constexpr bool boolean = std::is_same_v<T, bool>;
    static constexpr bool integer = !real && !boolean;
    /// u8 is unsigned, so its right shift is logical.
    static constexpr opcode right = std::is_unsigned_v<T> ? opcode::lshr : opcode::shr;

    static ir make(opcode op, ir a) { return at(detail::emit(op, type, type, a.id)); }
    static ir make(opcode op, ir a, ir b) { return at(detail::emit(op, type, type, a.id, b.id)); }
    static mask test(opcode op, ir a, ir b) {
        return mask::at(detail::emit(op, mtype::b1, type, a.id, b.id));
    }

public:
    // ---- arithmetic
    friend ir operator+(ir a, ir b)
        requires(!boolean)
    {
        return make(opcode::add, a, b);
    }
    friend ir operator-(ir a, ir b)
        requires(!boolean)
    {
        return make(opcode::sub, a, b);
    }
    friend ir operator*(ir a, ir b)
        requires(!boolean)
    {
        return make(opcode::mul, a, b);
    }
    friend ir operator/(ir a, ir b)
        requires(real)
    {
        return make(opcode::div, a, b);
    }
    friend ir operator-(ir a)
        requires(!boolean)
    {
        return make(opcode::neg, a);
    }
    friend ir abs(ir x)
        requires(!boolean)
    {
        if constexpr (std::is_unsigned_v<T>)
            return x;
        else
            return make(opcode::abs, x);
    }

    // ---- bits
    friend ir operator&(ir a, ir b)
        requires(!real)
    {
        return make(opcode::and_, a, b);
    }
    friend ir operator|(ir a, ir b)
        requires(!real)
    {
        return make(opcode::or_, a, b);
    }
    friend ir operator^(ir a, ir b)
        requires(!real)
    {
        return make(opcode::xor_, a, b);
    }
    friend ir operator~(ir a)
        requires(!real)
    {
        const instr& inner = detail::definition(a.id);
        if (inner.op == opcode::not_) return at(inner.a);
        return make(opcode::not_, a);
    }
    friend ir operator!(ir a)
        requires(boolean)
    {
        return ~a;
    }
    friend ir operator<<(ir x, ir n)
        requires(integer)
    {
        return make(opcode::shl, x, n);
    }
    friend ir operator>>(ir x, ir n)
        requires(integer)
    {
        return make(right, x, n);
    }
    friend ir lshr(ir x, ir n)
        requires(integer)
    {
        return make(opcode::lshr, x, n);
    }
    friend ir operator<<(ir x, int n)
        requires(integer)
    {
        return x << ir(n);
    }
    friend ir operator>>(ir x, int n)
        requires(integer)
    {
        return x >> ir(n);
    }
    friend ir lshr(ir x, int n)
        requires(integer)
    {
        return lshr(x, ir(n));
    }

    // ---- comparisons and choice
    friend mask operator==(ir a, ir b) { return test(opcode::eq, a, b); }
    friend mask operator!=(ir a, ir b) { return test(opcode::ne, a, b); }
    friend mask operator<(ir a, ir b) { return test(opcode::lt, a, b); }
    friend mask operator<=(ir a, ir b) { return test(opcode::le, a, b); }
    friend mask operator>(ir a, ir b) { return test(opcode::gt, a, b); }
    friend mask operator>=(ir a, ir b) { return test(opcode::ge, a, b); }
    friend ir select(mask m, ir a, ir b) {
        return at(detail::emit(opcode::select, type, type, m.id, a.id, b.id));
    }
    friend ir rarely(mask m, ir a, ir b) {
        return at(detail::emit(opcode::rare, type, type, m.id, a.id, b.id));
    }

    // ---- rounding, roots
    friend ir fma(ir a, ir b, ir c)
        requires(real)
    {
        return at(detail::emit(opcode::fma, type, type, a.id, b.id, c.id));
    }
    friend ir sqrt(ir x)
        requires(real)
    {
        return make(opcode::sqrt, x);
    }
    friend ir floor(ir x)
        requires(!boolean)
    {
        return rounded(opcode::floor, x);
    }
    friend ir ceil(ir x)
        requires(!boolean)
    {
        return rounded(opcode::ceil, x);
    }
    friend ir trunc(ir x)
        requires(!boolean)
    {
        return rounded(opcode::trunc, x);
    }
    friend ir rint(ir x)
        requires(!boolean)
    {
        return rounded(opcode::rint, x);
    }

    // ---- integer division
    friend ir idiv(ir a, ir b)
        requires(integer)
    {
        return make(opcode::idiv, a, b);
    }
    friend ir irem(ir a, ir b)
        requires(integer)
    {
        return make(opcode::irem, a, b);
    }

    friend ir guard(mask m, uint64_t status, ir x) {
        return at(detail::emit(opcode::guard, type, mtype::b1, m.id, x.id, none, 0, status));
    }

private:
    static ir rounded(opcode op, ir x) {
        if constexpr (real)
            return make(op, x);
        else
            return x;
    }
};

// ---- between number types

template <class U, class T>
ir<U> convert(ir<T> x) {
    if constexpr (std::is_same_v<U, T>) {
        return x;
    } else if constexpr (std::is_same_v<U, bool>) {
        return x != ir<T>(0);
    } else {
        const instr& source = detail::definition(x.id);
        if (source.op == opcode::constant) {
            return ir<U>::from(static_cast<U>(value_of<T>(source.imm)));
        }
        return ir<U>::at(detail::emit(opcode::convert, mtype_of<U>(), mtype_of<T>(), x.id));
    }
}

template <class T>
    requires(std::is_floating_point_v<T>)
auto bits(ir<T> x) {
    using I = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
    return ir<I>::at(detail::emit(opcode::bits, mtype_of<I>(), mtype_of<T>(), x.id));
}

template <class V, class I>
V from_bits(ir<I> i) {
    static_assert(sizeof(I) == sizeof(typename V::scalar));
    return V::at(detail::emit(opcode::from_bits, V::type, mtype_of<I>(), i.id));
}

inline ir<int32_t> mulhi(ir<int32_t> a, ir<int32_t> b) {
    return ir<int32_t>::at(detail::emit(opcode::mulhi_u32, mtype::i32, mtype::i32, a.id, b.id));
}

template <class V>
V lookup(math::table t, ir<int32_t> i) {
    return V::at(detail::emit(opcode::lookup, V::type, mtype::i32, i.id, none, none,
                              static_cast<uint16_t>(t)));
}

/// Rounds `x` to the narrow type `to`, which is held in T.
template <class T>
ir<T> narrow(ir<T> x, ScalarType to) {
    if (detail::definition(x.id).type == to) return x;
    return ir<T>::at(builder::current().emit(
        {.op = opcode::narrow, .type = to, .mt = ir<T>::type, .in_mt = ir<T>::type, .a = x.id}));
}

}  // namespace sinter::kernel_ir
