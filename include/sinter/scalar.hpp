// Scalar, a number of one of Python's kinds: what a plain C++ number becomes beside a tensor.
#pragma once

#include <sinter/config.hpp>
#include <sinter/dtype.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <type_traits>

namespace sinter::inline v1 {

/// A number: holds a double, a 64-bit integer, a bool or a complex number. Beside a tensor only its
/// kind counts: it never raises the tensor's dtype within its kind (`f32 * 2.5` is f32).
/// Conversions keep subnormal numbers, even on a thread that flushes them to zero.
class Scalar {
public:
    /// The kinds of numbers.
    enum class kind : uint8_t { integral, floating, boolean, complex };

    /// Holds the integer 0.
    Scalar() : Scalar(int64_t{0}) {}
    /// Holds the number, with its kind; implicit. Integers become 64 bits wide, floating numbers
    /// double.
    ///@{
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
    ///@}

    /// Returns true if the number is of this kind.
    ///@{
    bool isFloatingPoint() const { return kind_ == kind::floating; }
    bool isIntegral(bool include_bool) const {
        return kind_ == kind::integral || (include_bool && kind_ == kind::boolean);
    }
    bool isBoolean() const { return kind_ == kind::boolean; }
    ///@}
    /// Returns the kind.
    kind which() const { return kind_; }

    // Of a complex number the real part; they throw ValueError where its imaginary part is not 0.
    /// Returns the number as a double; of a complex number the real part. Throws ValueError if the
    /// imaginary part is not 0.
    double toDouble() const {
        return kind_ == kind::floating  ? d_
               : kind_ == kind::complex ? real_part()
                                        : static_cast<double>(i_);
    }
    /// Returns true if the number is not 0.
    bool toBool() const {
        if (kind_ == kind::complex) return is_nonzero(d_) || is_nonzero(imag_);
        return kind_ == kind::floating ? is_nonzero(d_) : i_ != 0;
    }
    /// Returns the number as a complex number. The float form throws ValueError if a part is out of
    /// range.
    ///@{
    complex<double> toComplexDouble() const {
        if (kind_ == kind::complex) return {d_, imag_};
        return toDouble();
    }
    complex<float> toComplexFloat() const { return to<complex<float>>(); }
    ///@}

    // Checked conversions: they throw ValueError where `full` of that dtype would refuse the value.
    // A fraction within the range is cut off, negative integers wrap in a Byte, infinities and NaN
    // are held by every floating type. To bool is != 0.
    /// Returns the number converted to T. A fraction within the range is cut off, negative integers
    /// wrap in a Byte, infinities and NaN are held by every floating type; bool is != 0. Throws
    /// ValueError if `full` of that dtype would refuse the value.
    ///@{
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
    ///@}

    /// Returns true if the number is complex.
    bool isComplex() const { return kind_ == kind::complex; }
    /// Returns the conjugate.
    Scalar conj() const {
        Scalar s = *this;
        s.imag_ = -imag_;
        return s;
    }
    /// Returns the negative; true becomes the integer -1.
    SINTER_API Scalar operator-() const;
    /// Returns true if both numbers have the same value: 1 equals 1.0, true equals only bools, and
    /// NaN nothing.
    SINTER_API bool equal(const Scalar& other) const;

    // Unchecked, for what is inside the library: out of range or NaN is INT64_MIN, or an infinity.
    /// For the library: the whole part, INT64_MIN if out of range or NaN; the nearest float, an
    /// infinity if out of range. Throws ValueError if there is an imaginary part.
    ///@{
    int64_t truncated() const {
        if (kind_ == kind::complex) return Scalar(real_part()).truncated();
        if (kind_ != kind::floating) return i_;
        return d_ >= -9223372036854775808.0 && d_ < 9223372036854775808.0 ? static_cast<int64_t>(d_)
                                                                          : INT64_MIN;
    }
    SINTER_API float nearest_float() const;
    ///@}

    /// Returns the dtype of the kind: kLong, kDouble, kBool or kComplexDouble.
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

/// @cond
#define SINTER_DTYPE(type, ...) extern template SINTER_API type Scalar::to<type>() const;
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
/// @endcond

/// Prints the number as C++ does; bools as true and false, complex numbers as (1,2).
SINTER_API std::ostream& operator<<(std::ostream& out, const Scalar& s);

}  // namespace sinter::inline v1
