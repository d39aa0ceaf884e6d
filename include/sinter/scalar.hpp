// A number of one of Python's kinds: what a plain C++ number becomes beside a tensor.
#pragma once

#include <sinter/config.hpp>
#include <sinter/dtype.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace sinter::inline v1 {

/// Holds a double, a 64-bit integer or a bool. Beside a tensor it never raises the tensor's dtype
/// within its kind (`f32 * 2.5` is f32), and only its kind counts.
class Scalar {
public:
    enum class kind : uint8_t { integral, floating, boolean };

    Scalar() : Scalar(int64_t{0}) {}
    template <class T>
        requires(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
    Scalar(T value) {  // NOLINT: implicit by design
        if constexpr (std::is_floating_point_v<T>) {
            kind_ = kind::floating;
            d_ = static_cast<double>(value);
        } else {
            kind_ = kind::integral;
            i_ = static_cast<int64_t>(value);
        }
    }
    template <std::same_as<bool> T>
    Scalar(T value) : kind_(kind::boolean), i_(value) {}                          // NOLINT
    Scalar(Half value) : kind_(kind::floating), d_(static_cast<float>(value)) {}  // NOLINT

    bool isFloatingPoint() const { return kind_ == kind::floating; }
    bool isIntegral(bool include_bool) const {
        return kind_ == kind::integral || (include_bool && kind_ == kind::boolean);
    }
    bool isBoolean() const { return kind_ == kind::boolean; }
    kind which() const { return kind_; }

    double toDouble() const { return kind_ == kind::floating ? d_ : static_cast<double>(i_); }
    /// Truncates a floating value; out of range or NaN gives INT64_MIN.
    int64_t toLong() const {
        if (kind_ != kind::floating) return i_;
        return d_ >= -9223372036854775808.0 && d_ < 9223372036854775808.0 ? static_cast<int64_t>(d_)
                                                                          : INT64_MIN;
    }
    bool toBool() const { return kind_ == kind::floating ? d_ != 0 : i_ != 0; }
    float toFloat() const { return static_cast<float>(toDouble()); }
    int toInt() const { return static_cast<int>(toLong()); }

    /// Long, Double or Bool.
    ScalarType type() const {
        return kind_ == kind::floating ? kDouble : kind_ == kind::integral ? kLong : kBool;
    }

private:
    kind kind_ = kind::integral;
    union {
        double d_;
        int64_t i_;
    };
};

}  // namespace sinter::inline v1
