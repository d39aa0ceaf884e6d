#include "runtime/types/number_checks.hpp"

#include "runtime/base/fail.hpp"
#include "runtime/types/dtypes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinter::runtime {

std::string supported_dtypes() {
    std::string names;
#define SINTER_DTYPE(type, computed, name, ...) names += ", " #name;
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
    return names.replace(names.rfind(", "), 2, " or ").substr(2);
}

void require_dtype(const char* op, ScalarType dtype) {
    if (!is_supported(dtype)) refuse_dtype(op, toString(dtype), supported_dtypes(), "kFloat");
}

void refuse_complex(const char* op, const std::string& got) {
    fail<NotImplementedError>(op, "complex numbers are not supported", got, "a real dtype",
                              "real(), imag() or abs() first");
}

void refuse_integers(const char* op, const std::string& got, const char* expected) {
    fail<NotImplementedError>(op, "integers and booleans are not supported", got, expected,
                              ".to(kFloat) first");
}

void refuse_bool(const char* op, const std::string& got, const char* remedy) {
    fail<NotImplementedError>(op, "booleans are not supported", got, "a numeric dtype", remedy);
}

void refuse_dtype(const char* op, const std::string& got, const std::string& expected,
                  const char* remedy) {
    fail<NotImplementedError>(op, "the dtype is not supported", got, expected, remedy);
}

void refuse_dtypes(const char* op, ScalarType a, ScalarType b) {
    const ScalarType common = promote_types(a, b);
    const char* const one = common == b ? "the first" : common == a ? "the second" : "both";
    fail(op, "the operands' dtypes differ", text(a, " and ", b), "the same dtype",
         text(".to(k", common, ") on ", one));
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
    plain_text out;
    out.precision(15);
    out << value.toDouble();
    return std::isnan(value.toDouble()) ? "nan" : out.str();
}

void refuse_value(const char* op, const Scalar& value, ScalarType dtype) {
    const bool whole = isIntegralType(dtype) && dtype != kLong && value.isIntegral(true);
    fail<ValueError>(
        op, text("value cannot be converted to type ", info_of(dtype).error, " without overflow"),
        text(to_text(value), " for ", dtype), text("a value that ", dtype, " can hold"),
        isComplexType(dtype)        ? "kComplexDouble, a wider dtype"
        : has_imaginary_part(value) ? "a complex dtype"
        : whole                     ? "kLong, a wider dtype"
                                    : "kDouble, a wider dtype");
}

void require_fits(const char* op, const Scalar& value, ScalarType dtype) {
    if (!fits(value, dtype)) refuse_value(op, value, dtype);
}

Scalar bound_in(const char* op, ScalarType dtype, const Scalar& bound, bool is_min) {
    if (isFloatingType(dtype) && !bound.isComplex()) require_fits(op, bound, dtype);
    if (!isIntegralType(dtype, false) || bound.isFloatingPoint()) return bound;
    const iinfo range(dtype);
    const int64_t b = bound.toLong();
    if (is_min ? b > range.max : b < range.min)
        fail(op, "no value of the dtype is within the bound",
             text(is_min ? "min " : "max ", to_text(bound), " for ", dtype),
             is_min ? text("a min of at most ", range.max) : text("a max of at least ", range.min),
             ".to(kLong) first");
    return std::clamp<int64_t>(b, range.min, range.max);
}

bool same_value(const Scalar& a, const Scalar& b) {
    if (a.isComplex() || b.isComplex()) return a.toComplexDouble() == b.toComplexDouble();
    if (a.isFloatingPoint() || b.isFloatingPoint()) return a.toDouble() == b.toDouble();
    return a.toLong() == b.toLong();
}

}  // namespace sinter::runtime
