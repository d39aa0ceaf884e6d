// A number of one of Python's kinds: what a plain C++ number becomes beside a tensor.
#pragma once

#include <sinter/config.hpp>
#include <sinter/dtype.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <type_traits>

namespace sinter::inline v1 {

/// Holds a double, a 64-bit integer, a bool or a complex number. Beside a tensor it never raises
/// the tensor's dtype within its kind (`f32 * 2.5` is f32), and only its kind counts. Conversions
/// keep subnormal numbers, even on a thread that flushes them to zero.
class Scalar {
public:
    enum class kind : uint8_t { integral, floating, boolean, complex };

    Scalar() : Scalar(int64_t{0}) {}
    template <class T>
        requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
    Scalar(T value) {  // NOLINT: implicit by design
        if constexpr (std::is_floating_point_v<T>) {
            kind_ = kind::floating;
            if constexpr (std::is_same_v<T, float>)
                d_ = widened(value);
            else
                d_ = static_cast<double>(value);
        } else {
            kind_ = kind::integral;
            i_ = static_cast<int64_t>(value);  // NOLINT: a char is a number here
        }
    }
    template <std::same_as<bool> T>
    Scalar(T value) : kind_(kind::boolean), i_(value) {}                          // NOLINT
    Scalar(BFloat16 value) : kind_(kind::floating), d_(widened(value)) {}         // NOLINT
    Scalar(Half value) : kind_(kind::floating), d_(static_cast<float>(value)) {}  // NOLINT

    Scalar(complex<float> value)  // NOLINT
        : kind_(kind::complex), d_(widened(value.real())), imag_(widened(value.imag())) {}
    Scalar(complex<double> value)  // NOLINT
        : kind_(kind::complex), d_(value.real()), imag_(value.imag()) {}
    template <detail::standard_complex C>
    Scalar(const C& value) : Scalar(complex<typename C::value_type>(value)) {}  // NOLINT

    bool isFloatingPoint() const { return kind_ == kind::floating; }
    bool isIntegral(bool include_bool) const {
        return kind_ == kind::integral || (include_bool && kind_ == kind::boolean);
    }
    bool isBoolean() const { return kind_ == kind::boolean; }
    kind which() const { return kind_; }

    // Of a complex number the real part; they throw ValueError where its imaginary part is not 0.
    double toDouble() const {
        return kind_ == kind::floating  ? d_
               : kind_ == kind::complex ? real_part()
                                        : static_cast<double>(i_);
    }
    bool toBool() const {
        if (kind_ == kind::complex) return is_nonzero(d_) || is_nonzero(imag_);
        return kind_ == kind::floating ? is_nonzero(d_) : i_ != 0;
    }
    complex<double> toComplexDouble() const {
        if (kind_ == kind::complex) return {d_, imag_};
        return toDouble();
    }
    complex<float> toComplexFloat() const { return to<complex<float>>(); }

    // Checked conversions: they throw ValueError where `full` of that dtype would refuse the value.
    // A fraction within the range is cut off, negative integers wrap in a Byte, infinities and NaN
    // are held by every floating type. To bool is != 0.
    template <class T>
    T to() const;
    int64_t toLong() const {
        return kind_ == kind::integral || kind_ == kind::boolean ? i_ : to<int64_t>();
    }
    float toFloat() const { return to<float>(); }
    int toInt() const { return to<int>(); }
    int16_t toShort() const { return to<int16_t>(); }
    int8_t toChar() const { return to<int8_t>(); }
    uint8_t toByte() const { return to<uint8_t>(); }
    Half toHalf() const { return to<Half>(); }
    BFloat16 toBFloat16() const { return to<BFloat16>(); }

    bool isComplex() const { return kind_ == kind::complex; }
    Scalar conj() const {
        Scalar s = *this;
        s.imag_ = -imag_;
        return s;
    }
    SINTER_API Scalar operator-() const;
    /// By value, whole or not: 1 and 1.0 are equal; true to bools alone, and NaN to nothing.
    SINTER_API bool equal(const Scalar& other) const;

    // Unchecked, for what is inside the library: out of range or NaN is INT64_MIN, or an infinity.
    int64_t truncated() const {
        if (kind_ == kind::complex) return Scalar(real_part()).truncated();
        if (kind_ != kind::floating) return i_;
        return d_ >= -9223372036854775808.0 && d_ < 9223372036854775808.0 ? static_cast<int64_t>(d_)
                                                                          : INT64_MIN;
    }
    SINTER_API float nearest_float() const;

    /// Long, Double, Bool or ComplexDouble.
    ScalarType type() const {
        constexpr ScalarType types[] = {kLong, kDouble, kBool, kComplexDouble};
        return types[static_cast<int>(kind_)];
    }

private:
    /// Throws where the imaginary part is not 0.
    SINTER_API double real_part() const;
    /// A comparison may take a subnormal number for 0, so bits are compared, and behind a volatile
    /// object, as clang makes a comparison of numbers of them again.
    static bool is_nonzero(double value) {
        volatile const auto bits = std::bit_cast<uint64_t>(value);
        return bits << 1 != 0;  // without the sign
    }
    static double widened(float value) {
        const auto bits = std::bit_cast<uint32_t>(value);
        if (bits & 0x7F800000u) return value;
        const double magnitude = static_cast<double>(bits & 0x007FFFFFu) * 0x1p-149;
        return bits >> 31 ? -magnitude : magnitude;
    }

    kind kind_ = kind::integral;
    union {
        double d_;
        int64_t i_;
    };
    double imag_ = 0;
};

#define SINTER_SCALAR_TO(T, name, C) extern template SINTER_API T Scalar::to<T>() const;
SINTER_FOR_EACH_ELEMENT_TYPE(SINTER_SCALAR_TO)
#undef SINTER_SCALAR_TO

/// As C++ prints the number that it holds; bools as true and false, complex numbers as (1,2).
SINTER_API std::ostream& operator<<(std::ostream& out, const Scalar& s);

}  // namespace sinter::inline v1
