// host<T>: the C++ family of the algebra (algebra.hpp). One member, no branches, so that
//
//     for (i = 0; i < n; ++i) out[i] = f(host<T>(in[i])).v;
//
// is vectorised by the compiler. The function around the loop should be [[gnu::flatten]]: long
// formulas are not inlined otherwise. Compile with -O3 -ffp-contract=off -fno-math-errno
// -fno-trapping-math.
//
// The instruction set is part of the type: code compiled for AVX-512 then has other symbols than
// the same formula compiled for the baseline, and the linker cannot mix them up.
#pragma once

#include <sinter/math/algebra.hpp>
#include <sinter/math/tables/tables.hpp>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__AVX512F__) && defined(__AVX512VL__)
#define SINTER_HOST_ISA 4
#elif defined(__AVX2__) && defined(__FMA__)
#define SINTER_HOST_ISA 3
#else
#define SINTER_HOST_ISA 1
#endif

/// One more family, host<T, SINTER_HOST_ISA | SINTER_HOST_USUAL>: `rarely` is what it is where
/// nothing is rare.
#define SINTER_HOST_USUAL 16
/// Another one, by one more bit: formulas for results of 11 bits.
#define SINTER_HOST_BRIEF 32
/// And one more: formulas of rows under fast math. Block rows have none; tests do.
#define SINTER_HOST_FAST 64

namespace sinter::math {

/// What `guard` raised on this thread. A block loop takes it after its last element; thread-local
/// because a formula has no argument to carry it, and a store that the loop does not read hoists.
constinit inline thread_local uint64_t host_status = 0;

inline uint64_t take_host_status() {
    uint64_t status = host_status;
    host_status = 0;
    return status;
}

template <class T, int Isa = SINTER_HOST_ISA>
struct host {
    using scalar = T;
    using mask = host<bool, Isa>;
    template <class U>
    using as = host<U, Isa>;
    static constexpr bool brief() {
        return std::is_same_v<T, float> && (Isa & SINTER_HOST_BRIEF) != 0;
    }
    static constexpr bool fast() { return (Isa & SINTER_HOST_FAST) != 0; }

    T v;

    host() = default;
    explicit constexpr host(double c) : v(static_cast<T>(c)) {}
    explicit constexpr host(int c) : v(static_cast<T>(c)) {}
    /// An element, exactly.
    template <std::same_as<T> S>
        requires(!std::same_as<S, int> && !std::same_as<S, double>)
    explicit constexpr host(S element) : v(element) {}
    static constexpr host from(T c) {
        host r;
        r.v = c;
        return r;
    }

private:
    static constexpr bool real = std::is_floating_point_v<T>;
    static constexpr bool boolean = std::is_same_v<T, bool>;
    static constexpr bool integer = !real && !boolean;
    /// Unsigned arithmetic wraps; the narrowing conversion back is defined in C++20.
    using wide = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    static constexpr wide w(host x) { return static_cast<wide>(x.v); }
    template <class U>
    static constexpr host pack(U x) {
        return from(static_cast<T>(x));
    }
    static constexpr mask test(bool m) { return mask::from(m); }

public:
    // ---- arithmetic
    friend constexpr host operator+(host a, host b)
        requires(!boolean)
    {
        if constexpr (real)
            return from(a.v + b.v);
        else
            return pack(w(a) + w(b));
    }
    friend constexpr host operator-(host a, host b)
        requires(!boolean)
    {
        if constexpr (real)
            return from(a.v - b.v);
        else
            return pack(w(a) - w(b));
    }
    friend constexpr host operator*(host a, host b)
        requires(!boolean)
    {
        if constexpr (real)
            return from(a.v * b.v);
        else
            return pack(w(a) * w(b));
    }
    friend constexpr host operator/(host a, host b)
        requires(real)
    {
        return from(a.v / b.v);
    }
    friend constexpr host operator-(host a)
        requires(!boolean)
    {
        if constexpr (real)
            return from(-a.v);
        else
            return pack(wide{0} - w(a));
    }
    friend host abs(host x)
        requires(!boolean)
    {
        if constexpr (std::is_same_v<T, float>)
            return from(__builtin_fabsf(x.v));
        else if constexpr (real)
            return from(__builtin_fabs(x.v));
        else if constexpr (std::is_unsigned_v<T>)
            return x;
        else
            return pack(x.v < 0 ? wide{0} - w(x) : w(x));
    }

    // ---- bits
    friend constexpr host operator&(host a, host b)
        requires(!real)
    {
        return from(static_cast<T>(a.v & b.v));
    }
    friend constexpr host operator|(host a, host b)
        requires(!real)
    {
        return from(static_cast<T>(a.v | b.v));
    }
    friend constexpr host operator^(host a, host b)
        requires(!real)
    {
        return from(static_cast<T>(a.v ^ b.v));
    }
    friend constexpr host operator~(host a)
        requires(!real)
    {
        if constexpr (boolean)
            return from(!a.v);
        else
            return pack(~a.v);
    }
    friend constexpr host operator!(host a)
        requires(boolean)
    {
        return from(!a.v);
    }
    friend constexpr host operator<<(host x, int n)
        requires(integer)
    {
        return pack(w(x) << n);
    }
    friend constexpr host operator>>(host x, int n)
        requires(integer)
    {
        return pack(x.v >> n);
    }
    friend constexpr host lshr(host x, int n)
        requires(integer)
    {
        return pack(static_cast<std::make_unsigned_t<T>>(x.v) >> n);
    }
    friend constexpr host operator<<(host x, host n)
        requires(integer)
    {
        return pack(w(x) << w(n));
    }
    friend constexpr host operator>>(host x, host n)
        requires(integer)
    {
        return pack(x.v >> n.v);
    }
    friend constexpr host lshr(host x, host n)
        requires(integer)
    {
        return pack(static_cast<std::make_unsigned_t<T>>(x.v) >> n.v);
    }

    // ---- comparisons and choice
    friend constexpr mask operator==(host a, host b) { return test(a.v == b.v); }
    friend constexpr mask operator!=(host a, host b) { return test(a.v != b.v); }
    friend constexpr mask operator<(host a, host b) { return test(a.v < b.v); }
    friend constexpr mask operator<=(host a, host b) { return test(a.v <= b.v); }
    friend constexpr mask operator>(host a, host b) { return test(a.v > b.v); }
    friend constexpr mask operator>=(host a, host b) { return test(a.v >= b.v); }
    friend constexpr host select(mask m, host a, host b) { return from(m.v ? a.v : b.v); }
    friend host rarely(mask m, host a, host b) {
        if constexpr (Isa & SINTER_HOST_USUAL)
            return b;
        else
            return select(m, a, b);
    }

    // ---- rounding, roots
    friend host fma(host a, host b, host c)
        requires(real)
    {
        if constexpr (std::is_same_v<T, float>)
            return from(__builtin_fmaf(a.v, b.v, c.v));
        else
            return from(__builtin_fma(a.v, b.v, c.v));
    }
    friend host sqrt(host x)
        requires(real)
    {
        if constexpr (std::is_same_v<T, float>)
            return from(__builtin_sqrtf(x.v));
        else
            return from(__builtin_sqrt(x.v));
    }
    friend host floor(host x)
        requires(!boolean)
    {
        if constexpr (integer)
            return x;
        else if constexpr (std::is_same_v<T, float>)
            return from(__builtin_floorf(x.v));
        else
            return from(__builtin_floor(x.v));
    }
    friend host ceil(host x)
        requires(!boolean)
    {
        if constexpr (integer)
            return x;
        else if constexpr (std::is_same_v<T, float>)
            return from(__builtin_ceilf(x.v));
        else
            return from(__builtin_ceil(x.v));
    }
    friend host trunc(host x)
        requires(!boolean)
    {
        if constexpr (integer)
            return x;
        else if constexpr (std::is_same_v<T, float>)
            return from(__builtin_truncf(x.v));
        else
            return from(__builtin_trunc(x.v));
    }
    friend host rint(host x)
        requires(!boolean)
    {
        if constexpr (integer)
            return x;
        else if constexpr (std::is_same_v<T, float>)
            return from(__builtin_rintf(x.v));
        else
            return from(__builtin_rint(x.v));
    }

    // ---- integer division. Narrow types divide in double, which is exact after truncation and,
    // other than the integer instruction, exists as a vector.
    friend host idiv(host a, host b)
        requires(integer)
    {
        bool zero = b.v == 0;
        if constexpr (sizeof(T) == 8) {
            bool minus = b.v == T(-1);
            T quotient = a.v / ((zero | minus) ? T{1} : b.v);
            return from(zero ? T{0} : minus ? (-a).v : quotient);
        } else {
            bool minus = std::is_signed_v<T> && b.v == T(-1);
            double divisor = static_cast<double>((zero | minus) ? T{1} : b.v);
            T quotient = static_cast<T>(static_cast<int32_t>(static_cast<double>(a.v) / divisor));
            return from(zero ? T{0} : minus ? (-a).v : quotient);
        }
    }
    friend host irem(host a, host b)
        requires(integer)
    {
        return a - idiv(a, b) * b;
    }

    /// `x`; `status` is added to host_status if `m`.
    friend host guard(mask m, uint64_t status, host x) {
        host_status |= m.v ? status : 0;
        return x;
    }
};

// ---- between number types

template <class U, class T, int Isa>
constexpr host<U, Isa> convert(host<T, Isa> x) {
    if constexpr (std::is_same_v<U, bool>)
        return host<U, Isa>::from(x.v != T{0});
    else
        return host<U, Isa>::from(static_cast<U>(x.v));
}

template <int Isa>
constexpr host<int32_t, Isa> bits(host<float, Isa> x) {
    return host<int32_t, Isa>::from(__builtin_bit_cast(int32_t, x.v));
}
template <int Isa>
constexpr host<int64_t, Isa> bits(host<double, Isa> x) {
    return host<int64_t, Isa>::from(__builtin_bit_cast(int64_t, x.v));
}
template <class V, class I, int Isa>
constexpr V from_bits(host<I, Isa> i) {
    static_assert(sizeof(I) == sizeof(typename V::scalar));
    return V::from(__builtin_bit_cast(typename V::scalar, i.v));
}

template <int Isa>
constexpr host<int32_t, Isa> mulhi(host<int32_t, Isa> a, host<int32_t, Isa> b) {
    uint64_t product =
        static_cast<uint64_t>(static_cast<uint32_t>(a.v)) * static_cast<uint32_t>(b.v);
    return host<int32_t, Isa>::from(static_cast<int32_t>(product >> 32));
}

template <class V, int Isa>
constexpr V lookup(table t, host<int32_t, Isa> i) {
    return V::from(table_data<typename V::scalar>(t)[i.v]);
}

}  // namespace sinter::math
