#include "runtime/types/number_checks.hpp"

#include "runtime/base/fail.hpp"

#include <sinter/limits.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinter::front {

void require_dtype(const char* op, ScalarType dtype) {
    if (!is_supported(dtype))
        fail<NotImplementedError>(op, "the dtype is not supported yet", toString(dtype),
                                  detail::supported_dtypes, "kFloat32");
}

namespace {

bool integer_fits(int64_t v, ScalarType dtype) {
    switch (dtype) {
        case kByte: return v >= -255 && v <= 255;
        case kChar: return v >= INT8_MIN && v <= INT8_MAX;
        case kShort: return v >= INT16_MIN && v <= INT16_MAX;
        case kInt: return v >= INT32_MIN && v <= INT32_MAX;
        case kHalf: return std::abs(static_cast<double>(v)) <= 65504;
        default: return true;
    }
}

bool real_fits(double v, ScalarType dtype) {
    const bool whole = isIntegralType(dtype, false);
    if (std::isnan(v)) return !whole;
    if (std::isinf(v)) return !whole;
    switch (dtype) {
        // Tests the sign bit: comparisons may treat a negative subnormal number as 0.
        case kByte: return (!std::signbit(v) || !Scalar(v).toBool()) && v <= 255;
        case kChar: return v >= -128 && v <= 127;
        case kShort: return v >= -32768 && v <= 32767;
        case kInt: return v >= -2147483648.0 && v <= 2147483647.0;
        case kLong: return v >= -9223372036854775808.0 && v < 9223372036854775808.0;
        case kHalf: return std::abs(v) <= 65504;
        case kBFloat16: return std::abs(v) <= 0x1.FEp127;
        case kFloat: return std::abs(v) <= static_cast<double>(std::numeric_limits<float>::max());
        default: return true;
    }
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

namespace {

/// Returns the C++ name of the dtype, as libtorch's errors use it.
const char* cpp_name(ScalarType dtype) {
    switch (dtype) {
        case kByte: return "uint8_t";
        case kChar: return "int8_t";
        case kShort: return "int16_t";
        case kInt: return "int";
        case kLong: return "int64_t";
        case kHalf: return "at::Half";
        case kBFloat16: return "at::BFloat16";
        default: return TypeMeta(dtype).name();
    }
}

}  // namespace

void require_fits(const char* op, const Scalar& value, ScalarType dtype) {
    if (!fits(value, dtype))
        fail<ValueError>(
            op, text("value cannot be converted to type ", cpp_name(dtype), " without overflow"),
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

}  // namespace sinter::front
