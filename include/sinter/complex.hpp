// Complex numbers as elements: two floats or two doubles, the real part first. Laid out as
// std::complex, and converts to and from it. Its functions stand in <sinter/complex_math.hpp>.
#pragma once

#include <sinter/config.hpp>

#include <iosfwd>
#include <type_traits>

namespace sinter::inline v1 {

template <class T>
class complex;

namespace detail {
/// std::complex, without its header.
template <class C>
concept standard_complex = !std::is_same_v<C, complex<float>> &&
                           !std::is_same_v<C, complex<double>> && requires(const C& c) {
                               typename C::value_type;
                               C(c.real(), c.imag());
                               requires std::is_floating_point_v<typename C::value_type>;
                           };
}  // namespace detail

/// T is float or double; `complex<Tensor>` is what `complex(re, im)` of tensors gives. Aligned to
/// its size, as in libtorch.
template <class T>
class alignas(2 * sizeof(T)) complex {
public:
    using value_type = T;

    constexpr complex() = default;
    constexpr complex(T re, T im = T())  // NOLINT: implicit, as in libtorch
        requires(std::is_floating_point_v<T>)
        : real_(re), imag_(im) {}
    template <class U>
        requires(!std::is_same_v<U, T>)
    constexpr explicit(sizeof(U) > sizeof(T)) complex(const complex<U>& o)  // NOLINT
        : real_(static_cast<T>(o.real())), imag_(static_cast<T>(o.imag())) {}
    template <detail::standard_complex C>
    constexpr complex(const C& c)  // NOLINT
        : real_(static_cast<T>(c.real())), imag_(static_cast<T>(c.imag())) {}
    template <detail::standard_complex C>
    constexpr operator C() const {  // NOLINT
        return C(real_, imag_);
    }

    constexpr T real() const { return real_; }
    constexpr T imag() const { return imag_; }
    constexpr void real(T value) { real_ = value; }
    constexpr void imag(T value) { imag_ = value; }

    constexpr explicit operator bool() const { return real_ != T() || imag_ != T(); }

    constexpr complex& operator+=(const complex& o) { return *this = *this + o; }
    constexpr complex& operator-=(const complex& o) { return *this = *this - o; }
    constexpr complex& operator*=(const complex& o) { return *this = *this * o; }
    constexpr complex& operator/=(const complex& o) { return *this = *this / o; }

    friend constexpr complex operator+(const complex& a) { return a; }
    friend constexpr complex operator-(const complex& a) { return {-a.real_, -a.imag_}; }
    friend constexpr complex operator+(const complex& a, const complex& b) {
        return {a.real_ + b.real_, a.imag_ + b.imag_};
    }
    friend constexpr complex operator-(const complex& a, const complex& b) {
        return {a.real_ - b.real_, a.imag_ - b.imag_};
    }
    friend constexpr complex operator*(const complex& a, const complex& b) {
        return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
    }
    /// Smith's algorithm (Communications of the ACM 5, 1962): the divisor's larger part is divided
    /// out first, so that its square cannot overflow.
    friend constexpr complex operator/(const complex& a, const complex& b) {
        const T re = b.real_ < T() ? -b.real_ : b.real_, im = b.imag_ < T() ? -b.imag_ : b.imag_;
        const bool wide = re >= im;
        const T large = wide ? b.real_ : b.imag_, small = wide ? b.imag_ : b.real_;
        const T ratio = large == T() ? T() : small / large;
        const T divisor = large + small * ratio;
        if (wide)
            return {(a.real_ + a.imag_ * ratio) / divisor, (a.imag_ - a.real_ * ratio) / divisor};
        return {(a.real_ * ratio + a.imag_) / divisor, (a.imag_ * ratio - a.real_) / divisor};
    }
    friend constexpr bool operator==(const complex& a, const complex& b) {
        return a.real_ == b.real_ && a.imag_ == b.imag_;
    }

    T real_ = T(), imag_ = T();  // public, as in libtorch
};

/// As std::complex prints: (1,2).
SINTER_API std::ostream& operator<<(std::ostream& out, const complex<float>& z);
SINTER_API std::ostream& operator<<(std::ostream& out, const complex<double>& z);

/// As std::complex reads: (1,2), (1) or 1.
SINTER_API std::istream& operator>>(std::istream& in, complex<float>& z);
SINTER_API std::istream& operator>>(std::istream& in, complex<double>& z);

/// `1.5_if` and `2_id`: imaginary numbers of float and of double.
inline namespace complex_literals {
constexpr complex<float> operator""_if(long double imag) { return {0, static_cast<float>(imag)}; }
constexpr complex<double> operator""_id(long double imag) { return {0, static_cast<double>(imag)}; }
constexpr complex<float> operator""_if(unsigned long long imag) {
    return {0, static_cast<float>(imag)};
}
constexpr complex<double> operator""_id(unsigned long long imag) {
    return {0, static_cast<double>(imag)};
}
}  // namespace complex_literals

}  // namespace sinter::inline v1
