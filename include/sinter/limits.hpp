// Limits of element types: PyTorch's finfo and iinfo, and std::numeric_limits of the 16-bit floats.
#pragma once

#include <sinter/dtype.hpp>

#include <limits>

namespace sinter::inline v1 {

/// Limits of a floating dtype. PyTorch: torch.finfo.
struct SINTER_API finfo {
    /// Of this dtype, the default dtype if none is given. Throws TypeError unless it is floating.
    ///@{
    finfo();
    explicit finfo(ScalarType dtype);
    ///@}

    /// The numbers of torch.finfo, by its names.
    ///@{
    ScalarType dtype;
    int bits;
    double eps;                    ///< distance from 1 to the next larger number
    double max, min;               ///< the largest and smallest finite numbers
    double tiny, smallest_normal;  ///< the smallest positive normal number, by two names
    double resolution;             ///< about 10 to the power of minus its decimal digits
    ///@}
};

/// Limits of an integer dtype. PyTorch: torch.iinfo.
struct SINTER_API iinfo {
    /// Of this dtype. Throws TypeError for other dtypes, and for Bool.
    explicit iinfo(ScalarType dtype);

    /// The numbers of torch.iinfo, by its names.
    ///@{
    ScalarType dtype;
    int bits;
    int64_t max, min;
    ///@}
};

namespace detail {

/// The common part of the limits of Half and BFloat16.
template <class T, int Digits, int MaxExponent, uint16_t One, uint16_t Infinity>
struct narrow_limits {
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false,
                          is_exact = false, has_infinity = true, has_quiet_NaN = true,
                          has_signaling_NaN = true, has_denorm_loss = false, is_iec559 = true,
                          is_bounded = true, is_modulo = false, traps = false,
                          tinyness_before = false;
    static constexpr auto has_denorm = std::denorm_present;
    static constexpr auto round_style = std::round_to_nearest;
    static constexpr int radix = 2, digits = Digits, max_exponent = MaxExponent,
                         min_exponent = 3 - MaxExponent;
    static constexpr int digits10 = (Digits - 1) * 301 / 1000,
                         max_digits10 = 2 + Digits * 301 / 1000,
                         max_exponent10 = MaxExponent * 301 / 1000,
                         min_exponent10 = -((MaxExponent - 2) * 301 / 1000);

    static constexpr T of(uint16_t bits) {
        T value;
        value.bits = bits;
        return value;
    }
    static constexpr uint16_t unit = 1u << (Digits - 1);  // one step of the exponent
    static constexpr T min() noexcept { return of(unit); }
    static constexpr T max() noexcept { return of(Infinity - 1); }
    static constexpr T lowest() noexcept { return of(0x8000u | (Infinity - 1)); }
    static constexpr T epsilon() noexcept { return of(One - (Digits - 1) * unit); }
    static constexpr T round_error() noexcept { return of(One - unit); }
    static constexpr T infinity() noexcept { return of(Infinity); }
    static constexpr T quiet_NaN() noexcept { return of(Infinity | unit / 2); }
    static constexpr T signaling_NaN() noexcept { return of(Infinity | unit / 4); }
    static constexpr T denorm_min() noexcept { return of(1); }
};

}  // namespace detail
}  // namespace sinter::inline v1

template <>
class std::numeric_limits<sinter::Half>
    : public sinter::detail::narrow_limits<sinter::Half, 11, 16, 0x3C00, 0x7C00> {};
template <>
class std::numeric_limits<sinter::BFloat16>
    : public sinter::detail::narrow_limits<sinter::BFloat16, 8, 128, 0x3F80, 0x7F80> {};
