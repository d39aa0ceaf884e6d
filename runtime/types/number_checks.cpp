#include "runtime/types/number_checks.hpp"

#include "runtime/base/fail.hpp"
#include "runtime/types/dtypes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinter::ops {

std::string supported_dtypes() {
    std::string names;
#define SINTER_DTYPE(type, computed, name, ...) names += ", " #name;
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/dtype.def>
    return names.replace(names.rfind(", "), 2, " or ").substr(2);
}

void require_dtype(const char* op, ScalarType dtype) {
    if (!is_supported(dtype))
        fail<NotImplementedError>(op, "the dtype is not supported yet", toString(dtype),
                                  supported_dtypes(), "kFloat32");
}

namespace {

/// Returns the largest finite number of a floating dtype.
double largest(ScalarType dtype) {
    return with_type(dtype, []<floating_element T>(std::type_identity<T>) {
        return static_cast<double>(std::numeric_limits<T>::max());
    });
}

bool integer_fits(int64_t v, ScalarType dtype) {
    if (isFloatingType(dtype)) return std::abs(static_cast<double>(v)) <= largest(dtype);
    if (!isIntegralType(dtype)) return true;
    const iinfo range(dtype);
    return v <= range.max && v >= (isSignedType(dtype) ? range.min : -range.max);
}

bool real_fits(double v, ScalarType dtype) {
    if (!std::isfinite(v)) return !isIntegralType(dtype);
    if (isFloatingType(dtype)) return std::abs(v) <= largest(dtype);
    if (!isIntegralType(dtype)) return true;
    const iinfo range(dtype);
    const bool below = v <= static_cast<double>(range.max) && v < 0x1p63;
    if (isSignedType(dtype)) return below && v >= static_cast<double>(range.min);
    // Tests the sign bit: comparisons may treat a negative subnormal number as 0.
    return below && (!std::signbit(v) || !Scalar(v).toBool());
}

}  // namespace

bool has_imaginary_part(const Scalar& value) {
    return value.isComplex() && Scalar(value.toComplexDouble().imag()).toBool();
}

bool fits(const Scalar& value, ScalarType dtype) {
    if (isComplexType(dtype)) {
        const complex<double> z = value.toComplexDouble();
        const ScalarType part = toRealValueType(dtype);
        return real_fits(z.real(), part) && real_fits(z.imag(), part);
    }
    if (dtype == kBool) return true;
    if (has_imaginary_part(value)) return false;
    if (value.isComplex()) return real_fits(value.toDouble(), dtype);
    return value.isFloatingPoint() ? real_fits(value.toDouble(), dtype)
                                   : integer_fits(value.toLong(), dtype);
}

std::string to_text(const Scalar& value) {
    if (value.isComplex()) {
        const complex<double> z = value.toComplexDouble();
        return to_text(z.real()) + (std::signbit(z.imag()) ? "-" : "+") +
               to_text(std::abs(z.imag())) + "i";
    }
    if (value.isBoolean()) return value.toBool() ? "true" : "false";
    if (!value.isFloatingPoint()) return std::to_string(value.toLong());
    runtime::plain_text out;
    out.precision(15);
    out << value.toDouble();
    return std::isnan(value.toDouble()) ? "nan" : out.str();
}

void require_fits(const char* op, const Scalar& value, ScalarType dtype) {
    if (!fits(value, dtype))
        fail<ValueError>(
            op,
            text("value cannot be converted to type ", info_of(dtype).error, " without overflow"),
            text(to_text(value), " for ", dtype), text("a value that ", dtype, " can hold"),
            "another dtype or value");
}

Scalar bound_in(const char* op, ScalarType dtype, const Scalar& bound, bool is_min) {
    if (isFloatingType(dtype) && !bound.isComplex()) require_fits(op, bound, dtype);
    if (!isIntegralType(dtype, false) || bound.isFloatingPoint()) return bound;
    const iinfo range(dtype);
    const int64_t b = bound.toLong();
    if (is_min ? b > range.max : b < range.min)
        fail(op, "the dtype has no value within the bound",
             text(is_min ? "min " : "max ", to_text(bound), " for ", dtype),
             text("a bound from ", range.min, " to ", range.max), "to(kLong) first");
    return std::clamp<int64_t>(b, range.min, range.max);
}

bool same_value(const Scalar& a, const Scalar& b) {
    if (a.isComplex() || b.isComplex()) return a.toComplexDouble() == b.toComplexDouble();
    if (a.isFloatingPoint() || b.isFloatingPoint()) return a.toDouble() == b.toDouble();
    return a.toLong() == b.toLong();
}

}  // namespace sinter::ops
