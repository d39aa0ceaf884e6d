// The operands. generate.py has the same formulas; a test at the start of each file keeps the two
// in agreement.
#include "tests/golden/call.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <type_traits>

namespace sinter::golden {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

struct float_limits {
    double largest, normal, subnormal, large;
};

template <class T>
constexpr float_limits limits_of = {};
template <>
constexpr float_limits limits_of<Half> = {65504, 0x1p-14, 0x1p-24, 30720};
template <>
constexpr float_limits limits_of<BFloat16> = {0x1.fep127, 0x1p-126, 0x1p-133, 0x9p30};
template <>
constexpr float_limits limits_of<float> = {0x1.fffffep127, 0x1p-126, 0x1p-149, 0x9p30};
template <>
constexpr float_limits limits_of<double> = {0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074, 0x9p60};

template <class T>
double special_float(int64_t i) {
    constexpr float_limits l = limits_of<T>;
    const double values[] = {
        0,           -0.0, 1,   -1.5,       2.5,     inf,     -inf,       NAN,      l.largest,
        l.subnormal, -0.5, 0.5, 1.5,        -2.5,    3,       -7,         0.25,     10,
        88.5,        -104, 20,  13.0 / 128, 0x1p-10, l.large, -l.largest, l.normal, -l.subnormal,
        -1,          0.75, -20};
    return values[i % 30];
}

template <class T>
T special_integer(int64_t i) {
    const int64_t values[] = {
        0,   1,    -1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), 2, 7, -5, 3,
        100, -100, 4};
    return static_cast<T>(values[i % 12]);
}

/// Returns a number from -2 to 2 that uses all bits of a significand of `p` bits.
double rough(int64_t i, int64_t seed, int p) {
    uint64_t h = static_cast<uint64_t>(i + 1) * 0x9E3779B97F4A7C15u +
                 static_cast<uint64_t>(seed) * 0xD1B54A32D192ED03u;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    h ^= h >> 32;
    return std::ldexp(static_cast<double>(h >> (64 - p)), 2 - p) - 2;
}

template <class T>
constexpr int significand = std::is_same_v<T, double>  ? 53
                            : std::is_same_v<T, float> ? 24
                            : std::is_same_v<T, Half>  ? 11
                                                       : 8;

template <class T>
constexpr bool floating_type = std::is_same_v<T, double> || std::is_same_v<T, float> ||
                               std::is_same_v<T, Half> || std::is_same_v<T, BFloat16>;

template <class T>
T number(double x) {
    if constexpr (std::is_same_v<T, double>)
        return x;
    else
        return T(static_cast<float>(x));
}

int64_t count(const std::vector<int64_t>& sizes) {
    int64_t n = 1;
    for (int64_t s : sizes) n *= s;
    return n;
}

/// Returns the sizes of the memory of which a layout takes its view.
std::vector<int64_t> memory_sizes(const recipe& r) {
    std::vector<int64_t> s = r.sizes;
    if (s.empty()) return s;
    if (r.layout == 't') s = {s.rbegin(), s.rend()};
    if (r.layout == 's') s.back() = 2 * s.back() + 1;
    if (r.layout == 'e') s.front() = 1;
    return s;
}

struct matrix_place {
    int64_t batch = 0, row = 0, col = 0;
};

/// Returns matrix, row and column of the element at `i` in an operand's memory; gaps have column
/// -1.
matrix_place place_of(const recipe& r, int64_t i) {
    const std::vector<int64_t> memory = memory_sizes(r);
    const std::size_t n = memory.size();
    std::vector<int64_t> at(n);
    for (std::size_t d = n; d-- > 0; i /= memory[d]) at[d] = i % memory[d];
    if (r.layout == 't') at = {at.rbegin(), at.rend()};
    if (r.layout == 's') at[n - 1] = at[n - 1] % 2 != 0 ? (at[n - 1] - 1) / 2 : -1;
    matrix_place p{0, at[n - 2], at[n - 1]};
    for (std::size_t d = 0; d + 2 < n; ++d) p.batch = p.batch * r.sizes[d] + at[d];
    return p;
}

/// d: rough numbers, with the parameter added to the diagonals of the matrices. h: the same, and
/// Hermitian.
template <class T>
T structured(const recipe& r, int64_t i) {
    const matrix_place at = place_of(r, i);
    if (at.col < 0) return T(0);
    const double more = at.row == at.col ? static_cast<double>(r.parameter) : 0;
    double sign = 1;
    if (r.kind == 'h') {
        const int64_t n = r.sizes.back();
        i = (at.batch * n + std::min(at.row, at.col)) * n + std::max(at.row, at.col);
        sign = (at.row < at.col) - (at.row > at.col);
    }
    if constexpr (requires(T x) { x.imag(); }) {
        using part = typename T::value_type;
        return {number<part>(rough(2 * i, r.seed, significand<part>) + more),
                number<part>(sign * rough(2 * i + 1, r.seed, significand<part>))};
    } else if constexpr (floating_type<T>) {
        return number<T>(rough(i, r.seed, significand<T>) + more);
    } else {
        return static_cast<T>(static_cast<int64_t>(rough(i, r.seed, 24) * 50) +
                              static_cast<int64_t>(more));
    }
}

template <class T>
T element(const recipe& r, int64_t i) {
    if (r.kind == 'd' || r.kind == 'h') return structured<T>(r, i);
    const int64_t k = i + r.seed, p = r.parameter;
    int64_t small = 0;
    double scale = 1;
    switch (r.kind) {
        case 's':
        case 'z':
        case 'n':
        case 'f':
            if constexpr (floating_type<T>) {
                double x = special_float<T>(k);
                // z: without -0. n: without both zeros. f: finite and of moderate size.
                if (x == 0 && (r.kind == 'n' || (r.kind == 'z' && std::signbit(x)))) x = -3;
                if (r.kind == 'f' && !(std::fabs(x) <= 20)) x = 6.5;
                return number<T>(x);
            } else if constexpr (std::is_same_v<T, bool>) {
                return r.kind == 'n' || k % 2 != 0;
            } else {
                T x = special_integer<T>(k);
                if (r.kind == 'n' && (x == 0 || x == static_cast<T>(-1))) x = 6;
                if (r.kind == 'f' && (x > 100 || x < 0)) x = 5;
                return x;
            }
        case 'm':
            small = (i * 7 + r.seed * 3) % 19 - (std::is_same_v<T, uint8_t> ? 0 : 9);
            scale = 0.25;
            break;
        case 'p':
            small = 1 + (i * 7 + r.seed * 3) % 11;
            scale = 0.25;
            break;
        case 'r':
            if constexpr (floating_type<T>) return number<T>(rough(i, r.seed, significand<T>));
            small = static_cast<int64_t>(rough(i, r.seed, 24) * 50);
            break;
        case 'u': small = (i * 3 + r.seed) % p; break;
        case 'w': small = (i * 5 + r.seed) % (2 * p) - p; break;
        case 'q': small = k % p; break;
        case 'b': small = (i * 5 + r.seed * 3) % 7 < 3; break;
        case 'c': small = k; break;
        default: throw std::runtime_error(std::string("unknown kind of operand: ") + r.kind);
    }
    if constexpr (floating_type<T>)
        return number<T>(static_cast<double>(small) * scale);
    else if constexpr (std::is_same_v<T, bool>)
        return small % 2 != 0;
    else
        return static_cast<T>(small);
}

/// An element whose parts are elements.
template <class T>
    requires(std::is_same_v<T, complex<float>> || std::is_same_v<T, complex<double>>)
T element(const recipe& r, int64_t i) {
    if (r.kind == 'd' || r.kind == 'h') return structured<T>(r, i);
    using part = typename T::value_type;
    return {element<part>(r, 2 * i), element<part>(r, 2 * i + 1)};
}

std::vector<int64_t> reversed_dims(std::size_t n) {
    std::vector<int64_t> d(n);
    for (std::size_t i = 0; i < n; ++i) d[i] = static_cast<int64_t>(n - 1 - i);
    return d;
}

template <class T>
std::string literal(T x) {
    if constexpr (std::is_same_v<T, bool>) return x ? "true" : "false";
    if constexpr (floating_type<T>) {
        const double d = static_cast<double>(x);
        if (std::isnan(d)) return "NAN";
        if (std::isinf(d)) return d < 0 ? "-INFINITY" : "INFINITY";
        char text[40];
        std::snprintf(text, sizeof text, "%.17g", d);
        const std::string s = text;
        return s.find_first_of(".e") == std::string::npos ? s + ".0" : s;
    }
    if constexpr (requires { x.imag(); })
        return "complex(" + literal(x.real()) + ", " + literal(x.imag()) + ")";
    else
        return std::to_string(static_cast<int64_t>(x));
}

std::string braces(const std::vector<int64_t>& v) {
    std::string s = "{";
    for (std::size_t i = 0; i < v.size(); ++i) s += (i ? ", " : "") + std::to_string(v[i]);
    return s + "}";
}

template <class F>
auto with_element(ScalarType type, const F& f) {
    switch (type) {
#define SINTER_DTYPE(T, C, name, ...) \
    case ScalarType::name: return f(T{});
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
        default: throw std::runtime_error("no such dtype");
    }
}

}  // namespace

Tensor make(const recipe& r) {
    if (r.kind == 'i' || r.kind == 'v') return make_placed(r);
    const std::vector<int64_t> sizes = memory_sizes(r);
    const int64_t n = count(sizes);
    Tensor t = with_element(r.dtype, [&](auto zero) {
        using T = decltype(zero);
        std::vector<unsigned char> bytes(sizeof(T) * static_cast<std::size_t>(n) + 1);
        for (int64_t i = 0; i < n; ++i) {
            const T x = element<T>(r, i);
            std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &x, sizeof(T));
        }
        const void* memory = bytes.data();
        return from_blob(memory, sizes, r.dtype)
            .to(get_default_device(), r.dtype, false, true)
            .eval();
    });
    if (r.sizes.empty()) return t;
    switch (r.layout) {
        case 't': return t.permute(reversed_dims(sizes.size()));
        case 's': return t.slice(-1, 1, sizes.back(), 2);
        case 'e': return t.expand(r.sizes);
        default: return t;
    }
}

std::string written(const recipe& r) {
    if (r.kind == 'i' || r.kind == 'v') {
        const Tensor t = make_placed(r);
        std::string list = repr(t.numel() <= 40 ? t : t.flatten().slice(0, 0, 40));
        for (std::size_t at; (at = list.find('\n')) != std::string::npos;) {
            const std::size_t to = list.find_first_not_of(" \n", at);
            list.replace(at, to - at, " ");
        }
        return list + ".as_strided(" + braces(r.sizes) + ", " + braces(r.strides) + ", " +
               std::to_string(r.offset) + ")";
    }
    const std::vector<int64_t> sizes = memory_sizes(r);
    std::string s = with_element(r.dtype, [&](auto zero) {
        std::string list;
        for (int64_t i = 0, n = count(sizes); i < n; ++i)
            list += (i ? ", " : "") + literal(element<decltype(zero)>(r, i));
        return "tensor({" + list + "}, k" + toString(r.dtype) + ")";
    });
    if (sizes.size() != 1) s += ".view(" + braces(sizes) + ")";
    if (r.sizes.empty()) return s;
    if (r.layout == 't') s += ".permute(" + braces(reversed_dims(sizes.size())) + ")";
    if (r.layout == 's') s += ".slice(-1, 1, " + std::to_string(sizes.back()) + ", 2)";
    if (r.layout == 'e') s += ".expand(" + braces(r.sizes) + ")";
    return s;
}

}  // namespace sinter::golden
