// Loads and stores: strided runs of a storage type to and from blocks of a logical type.
// Compiled once for each level.
#include "jit/simd/half.hpp"
#include "jit/simd/loops.hpp"

#include <limits>

namespace sinter::block::SINTER_BLOCK_LEVEL {

namespace {

/// A storage type: the type of an element in memory, and its compute type.
template <ScalarType S>
struct form {
    using stored = typename detail::cpp_types<S>::type;
    using computed = typename detail::cpp_types<S>::computed;
};

template <class T>
inline constexpr bool real = std::is_floating_point_v<T>;

using kernel_ir::is_narrow;

// ---- one element, by PyTorch's rules

/// Converts a float to a signed integer; out of range and NaN give the minimum.
template <class I, class F>
[[gnu::always_inline]] inline I truncate(F x) {
    constexpr F limit = static_cast<F>(1ull << (sizeof(I) * 8 - 1));
    const bool in_range = (x >= -limit) & (x < limit);
    return in_range ? static_cast<I>(in_range ? x : F(0)) : std::numeric_limits<I>::min();
}

/// Converts between compute types.
template <class To, class From>
[[gnu::always_inline]] inline To convert(From x) {
    if constexpr (std::is_same_v<To, From>)
        return x;
    else if constexpr (std::is_same_v<To, bool>)
        return x != From(0);
    else if constexpr (real<From> && std::is_same_v<To, uint8_t>)
        return static_cast<uint8_t>(truncate<int64_t>(x));
    else if constexpr (real<From> && !real<To>)
        return truncate<To>(x);
    else
        return static_cast<To>(x);
}

/// Rounds a value of the compute type to the narrow type `To`, in its compute form.
template <ScalarType To>
[[gnu::always_inline]] inline typename form<To>::computed narrow(typename form<To>::computed x) {
    if constexpr (is_narrow_float(To))
        return narrow_number<To>::wide(narrow_number<To>::rounded(x));
    else
        return static_cast<typename form<To>::stored>(x);
}

/// Converts from the compute form of one logical type to that of another.
template <ScalarType To, ScalarType From>
[[gnu::always_inline]] inline typename form<To>::computed convert_logical(
    typename form<From>::computed x) {
    const auto y = convert<typename form<To>::computed>(x);
    if constexpr (is_narrow(To) &&
                  !holds_all<typename form<To>::stored, typename form<From>::stored>()) {
        return narrow<To>(y);
    } else {
        return y;
    }
}

template <ScalarType S>
[[gnu::always_inline]] inline typename form<S>::computed read(const char* p) {
    if constexpr (is_narrow_float(S)) {
        decltype(narrow_number<S>::rounded(0)) bits;
        __builtin_memcpy(&bits, p, sizeof bits);
        return narrow_number<S>::wide(bits);
    } else if constexpr (S == kBool) {
        return *reinterpret_cast<const uint8_t*>(p) != 0;
    } else {
        typename form<S>::stored x;
        __builtin_memcpy(&x, p, sizeof x);
        return x;
    }
}

template <ScalarType S>
[[gnu::always_inline]] inline void write(char* p, typename form<S>::computed x) {
    if constexpr (is_narrow_float(S)) {
        const auto bits = narrow_number<S>::rounded(x);
        __builtin_memcpy(p, &bits, sizeof bits);
    } else {
        const auto stored = static_cast<typename form<S>::stored>(x);
        __builtin_memcpy(p, &stored, sizeof stored);
    }
}

// ---- runs

/// Returns true if all of x is in the range of int32_t, for which the conversion is a vector
/// instruction at every level.
template <class F>
bool all_small(const F* x, int64_t n) {
    int32_t small = 1;
    for (int64_t i = 0; i < n; ++i) small &= (x[i] > F(-2147483648.0)) & (x[i] < F(2147483520.0));
    return small != 0;
}

/// Converts truth values to numbers. g++ 12 vectorises this for bytes, but not for `bool`.
template <class T>
[[gnu::always_inline]] inline void truths(T* to, const uint8_t* from, int64_t n) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i] != 0 ? T(1) : T(0);
}

/// Converts between two dense runs of compute types; To and From are logical types.
template <ScalarType To, ScalarType From>
void convert_run(typename form<To>::computed* to, const typename form<From>::computed* from,
                 int64_t n) {
    if constexpr (To == kByte && real<typename form<From>::computed>) {
        if (all_small(from, n)) {
            for (int64_t i = 0; i < n; ++i)
                to[i] = static_cast<uint8_t>(static_cast<int32_t>(from[i]));
            return;
        }
    }
    if constexpr (From == kBool && real<typename form<To>::computed>)
        return truths(to, reinterpret_cast<const uint8_t*>(from), n);
    for (int64_t i = 0; i < n; ++i) to[i] = convert_logical<To, From>(from[i]);
}

template <ScalarType S, ScalarType L>
[[gnu::flatten]] void load(void* block, const char* from, int64_t stride, int64_t n) {
    using computed = typename form<L>::computed;
    constexpr int64_t size = sizeof(typename form<S>::stored);
    computed* out = static_cast<computed*>(block);
    if (stride == size) {
        if constexpr (S == kHalf && (L == kHalf || L == kFloat)) {
            halves_to_floats(out, reinterpret_cast<const uint16_t*>(from), n);
        } else if constexpr (S == kBool && real<computed>) {
            truths(out, reinterpret_cast<const uint8_t*>(from), n);
        } else if constexpr (is_narrow(S) || S == kBool) {
            for (int64_t i = 0; i < n; ++i)
                out[i] = convert_logical<L, S>(read<S>(from + i * size));
        } else {
            convert_run<L, S>(out, reinterpret_cast<const typename form<S>::computed*>(from), n);
        }
    } else if (stride == 0) {
        const computed x = convert_logical<L, S>(read<S>(from));
        for (int64_t i = 0; i < n; ++i) out[i] = x;
    } else {
        for (int64_t i = 0; i < n; ++i) out[i] = convert_logical<L, S>(read<S>(from + i * stride));
    }
}

template <ScalarType L, ScalarType S>
[[gnu::flatten]] void store(char* to, int64_t stride, const void* block, int64_t n) {
    constexpr int64_t size = sizeof(typename form<S>::stored);
    const auto* x = static_cast<const typename form<L>::computed*>(block);
    // A block is rounded only when it is stored, to whatever type.
    const auto value = [x](int64_t i) {
        if constexpr (is_narrow(L) && S != L)
            return narrow<L>(x[i]);
        else
            return x[i];
    };
    if (stride == size) {
        if constexpr (S == kHalf && (L == kHalf || L == kFloat)) {
            floats_to_halves(reinterpret_cast<uint16_t*>(to), x, n);
        } else if constexpr (S == kFloat && L == kHalf) {
            round_halves(reinterpret_cast<float*>(to), x, n);
        } else if constexpr (!is_narrow(S) && !is_narrow(L)) {
            convert_run<S, L>(reinterpret_cast<typename form<S>::computed*>(to), x, n);
        } else {
            for (int64_t i = 0; i < n; ++i) {
                write<S>(to + i * size, convert<typename form<S>::computed>(value(i)));
            }
        }
    } else {
        for (int64_t i = 0; i < n; ++i) {
            write<S>(to + i * stride, convert<typename form<S>::computed>(value(i)));
        }
    }
}

template <ScalarType S>
void fill_type(table& t) {
#define SINTER_DTYPE(type, computed, name, number, ...)               \
    t.loads[static_cast<int>(S)][number] = load<S, ScalarType::name>; \
    t.stores[static_cast<int>(S)][number] = store<S, ScalarType::name>;
#include <sinter/core/dtype.def>
}

}  // namespace

void fill_convert(table& t) {
#define SINTER_DTYPE(type, computed, name, ...) fill_type<ScalarType::name>(t);
#include <sinter/core/dtype.def>
}

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
