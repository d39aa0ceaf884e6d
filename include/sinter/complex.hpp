// Complex numbers as elements: two floats or two doubles, the real part first. The layout is that
// of std::complex, to which they convert. Functions of complex numbers are in
// functions/complex_math.hpp.
#pragma once

#include <sinter/config.hpp>

#include <iosfwd>
#include <type_traits>

namespace sinter::inline v1 {

template <class T>
class complex;

namespace detail {
/// True of std::complex; does not need its header.
template <class C>
concept standard_complex = !std::is_same_v<C, complex<float>> &&
                           !std::is_same_v<C, complex<double>> && requires(const C& c) {
                               typename C::value_type;
                               C(c.real(), c.imag());
                               requires std::is_floating_point_v<typename C::value_type>;
                           };
}  // namespace detail

/// A complex number of two floats or doubles, aligned to its size. `complex<Tensor>` is the result
/// of `complex(re, im)` for tensors. libtorch: c10::complex.
template <class T>
class alignas(2 * sizeof(T)) complex {
public:
    /// The type of a part.
    using value_type = T;

    /// The number re + im i.
    ///@{
    constexpr complex() = default;
    constexpr complex(T re, T im = T())  // NOLINT: implicit, as in libtorch
        requires(std::is_floating_point_v<T>)
        : real_(re), imag_(im) {}
    ///@}
    /// Converts from another precision (narrowing is explicit), or from std::complex.
    ///@{
    template <class U>
        requires(!std::is_same_v<U, T>)
    constexpr explicit(sizeof(U) > sizeof(T)) complex(const complex<U>& o)  // NOLINT
        : real_(static_cast<T>(o.real())), imag_(static_cast<T>(o.imag())) {}
    template <detail::standard_complex C>
    constexpr complex(const C& c)  // NOLINT
        : real_(static_cast<T>(c.real())), imag_(static_cast<T>(c.imag())) {}
    ///@}
    /// Converts to std::complex.
    template <detail::standard_complex C>
    constexpr operator C() const {  // NOLINT
        return C(real_, imag_);
    }

    /// Returns or sets a part.
    ///@{
    constexpr T real() const { return real_; }
    constexpr T imag() const { return imag_; }
    constexpr void real(T value) { real_ = value; }
    constexpr void imag(T value) { imag_ = value; }
    ///@}

    /// Returns true unless both parts are 0.
    constexpr explicit operator bool() const { return real_ != T() || imag_ != T(); }

    /// Arithmetic in place.
    ///@{
    constexpr complex& operator+=(const complex& o) { return *this = *this + o; }
    constexpr complex& operator-=(const complex& o) { return *this = *this - o; }
    constexpr complex& operator*=(const complex& o) { return *this = *this * o; }
    constexpr complex& operator/=(const complex& o) { return *this = *this / o; }
    ///@}

    /// Arithmetic by the usual formulas: products with infinities may give NaN.
    ///@{
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
    ///@}
    /// Returns the quotient by Smith's algorithm (Communications of the ACM 5, 1962): the divisor's
    /// larger part is divided out first, so that its square cannot overflow.
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
    /// Returns true if both parts are equal.
    friend constexpr bool operator==(const complex& a, const complex& b) {
        return a.real_ == b.real_ && a.imag_ == b.imag_;
    }

    /// The parts; public, as in libtorch.
    ///@{
    T real_ = T(), imag_ = T();
    ///@}
};

/// Prints as std::complex does: (1,2).
///@{
SINTER_API std::ostream& operator<<(std::ostream& out, const complex<float>& z);
SINTER_API std::ostream& operator<<(std::ostream& out, const complex<double>& z);
///@}

/// Reads as std::complex does: (1,2), (1) or 1.
///@{
SINTER_API std::istream& operator>>(std::istream& in, complex<float>& z);
SINTER_API std::istream& operator>>(std::istream& in, complex<double>& z);
///@}

/// `1.5_if` and `2_id`: imaginary numbers of float and of double.
inline namespace complex_literals {
/// `1.5_if` and `2_id`: imaginary numbers of float and of double.
///@{
constexpr complex<float> operator""_if(long double imag) { return {0, static_cast<float>(imag)}; }
constexpr complex<double> operator""_id(long double imag) { return {0, static_cast<double>(imag)}; }
constexpr complex<float> operator""_if(unsigned long long imag) {
    return {0, static_cast<float>(imag)};
}
constexpr complex<double> operator""_id(unsigned long long imag) {
    return {0, static_cast<double>(imag)};
}
///@}
}  // namespace complex_literals

}  // namespace sinter::inline v1
