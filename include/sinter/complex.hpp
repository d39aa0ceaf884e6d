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

/// T is float or double; `complex<Tensor>` is what `complex(re, im)` of tensors gives.
template <class T>
class complex {
public:
    using value_type = T;

    constexpr complex() = default;
    constexpr complex(T re, T im = T())  // NOLINT: implicit, as in libtorch
        requires(std::is_floating_point_v<T>)
        : re_(re), im_(im) {}
    template <class U>
        requires(!std::is_same_v<U, T>)
    constexpr explicit(sizeof(U) > sizeof(T)) complex(const complex<U>& o)  // NOLINT
        : re_(static_cast<T>(o.real())), im_(static_cast<T>(o.imag())) {}
    template <detail::standard_complex C>
    constexpr complex(const C& c)  // NOLINT
        : re_(static_cast<T>(c.real())), im_(static_cast<T>(c.imag())) {}
    template <detail::standard_complex C>
    constexpr operator C() const {  // NOLINT
        return C(re_, im_);
    }

    constexpr T real() const { return re_; }
    constexpr T imag() const { return im_; }
    constexpr void real(T value) { re_ = value; }
    constexpr void imag(T value) { im_ = value; }

    constexpr complex& operator+=(const complex& o) { return *this = *this + o; }
    constexpr complex& operator-=(const complex& o) { return *this = *this - o; }
    constexpr complex& operator*=(const complex& o) { return *this = *this * o; }
    constexpr complex& operator/=(const complex& o) { return *this = *this / o; }

    friend constexpr complex operator+(const complex& a) { return a; }
    friend constexpr complex operator-(const complex& a) { return {-a.re_, -a.im_}; }
    friend constexpr complex operator+(const complex& a, const complex& b) {
        return {a.re_ + b.re_, a.im_ + b.im_};
    }
    friend constexpr complex operator-(const complex& a, const complex& b) {
        return {a.re_ - b.re_, a.im_ - b.im_};
    }
    friend constexpr complex operator*(const complex& a, const complex& b) {
        return {a.re_ * b.re_ - a.im_ * b.im_, a.re_ * b.im_ + a.im_ * b.re_};
    }
    /// Smith's algorithm (Communications of the ACM 5, 1962): the divisor's larger part is divided
    /// out first, so that its square cannot overflow.
    friend constexpr complex operator/(const complex& a, const complex& b) {
        const T re = b.re_ < T() ? -b.re_ : b.re_, im = b.im_ < T() ? -b.im_ : b.im_;
        const bool wide = re >= im;
        const T large = wide ? b.re_ : b.im_, small = wide ? b.im_ : b.re_;
        const T ratio = large == T() ? T() : small / large;
        const T divisor = large + small * ratio;
        if (wide) return {(a.re_ + a.im_ * ratio) / divisor, (a.im_ - a.re_ * ratio) / divisor};
        return {(a.re_ * ratio + a.im_) / divisor, (a.im_ * ratio - a.re_) / divisor};
    }
    friend constexpr bool operator==(const complex& a, const complex& b) {
        return a.re_ == b.re_ && a.im_ == b.im_;
    }

private:
    T re_ = T(), im_ = T();
};

/// As std::complex prints: (1,2).
SINTER_API std::ostream& operator<<(std::ostream& out, const complex<float>& z);
SINTER_API std::ostream& operator<<(std::ostream& out, const complex<double>& z);

}  // namespace sinter::inline v1
