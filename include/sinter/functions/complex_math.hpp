// Mathematical functions of complex numbers. They are brought into namespace std, where libtorch
// programs call them: `std::abs(z)`, `std::exp(z)`. They compute with std::complex.
#pragma once

#include <sinter/complex.hpp>

#include <complex>
#include <cstddef>
#include <functional>
#include <type_traits>

namespace sinter::inline v1 {

/// Returns the number of this length and angle (radians).
template <class T>
    requires(std::is_floating_point_v<T>)
complex<T> polar(const T& length, const T& angle = T()) {
    return std::polar(length, angle);
}

/// The functions that a program may also call without std, as of libtorch's: they are brought into
/// namespace std here, and into the global one by <c10/util/complex.h>.
namespace complex_math {

#define SINTER_TO_COMPLEX(name)                                \
    template <class T>                                         \
        requires(std::is_floating_point_v<T>)                  \
    complex<T> name(const complex<T>& z) {                     \
        return std::name(std::complex<T>(z.real(), z.imag())); \
    }
/// The function of this name in namespace std.
///@{
SINTER_TO_COMPLEX(exp)
SINTER_TO_COMPLEX(log)
SINTER_TO_COMPLEX(log10)
SINTER_TO_COMPLEX(sqrt)
SINTER_TO_COMPLEX(sin)
SINTER_TO_COMPLEX(cos)
SINTER_TO_COMPLEX(tan)
SINTER_TO_COMPLEX(asin)
SINTER_TO_COMPLEX(acos)
SINTER_TO_COMPLEX(atan)
SINTER_TO_COMPLEX(sinh)
SINTER_TO_COMPLEX(cosh)
SINTER_TO_COMPLEX(tanh)
SINTER_TO_COMPLEX(asinh)
SINTER_TO_COMPLEX(acosh)
SINTER_TO_COMPLEX(atanh)
///@}
#undef SINTER_TO_COMPLEX

/// Returns the logarithm to base 2.
template <class T>
    requires(std::is_floating_point_v<T>)
complex<T> log2(const complex<T>& z) {
    constexpr T ln2 = T(0.693147180559945309417232121458176568L);
    return std::log(std::complex<T>(z.real(), z.imag())) / ln2;
}
/// Returns log(1 + z), also accurate for small z.
template <class T>
    requires(std::is_floating_point_v<T>)
complex<T> log1p(const complex<T>& z) {
    const T x = z.real(), y = z.imag();
    const T re = std::hypot(x, y) < T(0.5) ? std::log1p(x * (T(2) + x) + y * y) / 2
                                           : std::log(std::hypot(x + 1, y));
    return {re, std::atan2(y, x + 1)};
}
/// Returns exp(z) - 1, also accurate for small z.
template <class T>
    requires(std::is_floating_point_v<T>)
complex<T> expm1(const complex<T>& z) {
    const T x = z.real(), y = z.imag(), half = std::sin(y / 2), e = std::exp(x);
    return {std::expm1(x) * std::cos(y) - 2 * half * half, e * std::sin(y)};
}

/// Returns z to the power w, in the wider precision of both; an integer takes that of the other.
///@{
template <class T, class U>
    requires(std::is_floating_point_v<T> && std::is_floating_point_v<U>)
complex<decltype(T() * U())> pow(const complex<T>& z, const complex<U>& w) {
    using R = std::complex<decltype(T() * U())>;
    return std::pow(R(z.real(), z.imag()), R(w.real(), w.imag()));
}
template <class T, class U>
    requires(std::is_floating_point_v<T> && std::is_arithmetic_v<U>)
auto pow(const complex<T>& z, const U& w) {
    using R = std::conditional_t<std::is_integral_v<U>, T, decltype(T() * U())>;
    return complex<R>(std::pow(std::complex<R>(z.real(), z.imag()), static_cast<R>(w)));
}
template <class T, class U>
    requires(std::is_arithmetic_v<T> && std::is_floating_point_v<U>)
auto pow(const T& z, const complex<U>& w) {
    using R = std::conditional_t<std::is_integral_v<T>, U, decltype(T() * U())>;
    return complex<R>(std::pow(static_cast<R>(z), std::complex<R>(w.real(), w.imag())));
}
///@}

}  // namespace complex_math
}  // namespace sinter::inline v1

namespace std {  // NOLINT: see above

#define SINTER_TO_REAL(name)                         \
    template <class T>                               \
        requires(is_floating_point_v<T>)             \
    constexpr T name(const sinter::complex<T>& z) {  \
        return name(complex<T>(z.real(), z.imag())); \
    }
SINTER_TO_REAL(real)
SINTER_TO_REAL(imag)
SINTER_TO_REAL(abs)
SINTER_TO_REAL(arg)
SINTER_TO_REAL(norm)
#undef SINTER_TO_REAL

#define SINTER_TO_COMPLEX(name)                                      \
    template <class T>                                               \
        requires(is_floating_point_v<T>)                             \
    constexpr sinter::complex<T> name(const sinter::complex<T>& z) { \
        return name(complex<T>(z.real(), z.imag()));                 \
    }
SINTER_TO_COMPLEX(conj)
SINTER_TO_COMPLEX(proj)
#undef SINTER_TO_COMPLEX

#define SINTER_COMPLEX_MATH(X) \
    X(exp)                     \
    X(log)                     \
    X(log10)                   \
    X(log2)                    \
    X(log1p)                   \
    X(expm1)                   \
    X(sqrt)                    \
    X(pow)                     \
    X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)
#define SINTER_BRING(name) using sinter::complex_math::name;
SINTER_COMPLEX_MATH(SINTER_BRING)
#undef SINTER_BRING

template <class T>
struct hash<sinter::complex<T>> {
    size_t operator()(const sinter::complex<T>& z) const {
        const size_t re = hash<T>()(z.real()), im = hash<T>()(z.imag());
        return re ^ (im + 0x9e3779b97f4a7c15u + (re << 6) + (re >> 2));
    }
};

}  // namespace std
