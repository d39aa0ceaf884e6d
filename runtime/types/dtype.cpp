// Names of dtypes, promotion, and limits.
#include "runtime/base/fail.hpp"
#include "runtime/types/number_checks.hpp"

#include <sinter/limits.hpp>

#include <atomic>
#include <cmath>
#include <iterator>
#include <ostream>

namespace sinter::inline v1 {

const char* toString(ScalarType type) {
    static constexpr const char* names[] = {
        "Byte",  "Char",   "Short",       "Int",          "Long",          "Half",
        "Float", "Double", "ComplexHalf", "ComplexFloat", "ComplexDouble", "Bool",
        "QInt8", "QUInt8", "QInt32",      "BFloat16",     "Undefined"};
    const auto i = static_cast<std::size_t>(type);
    return i < std::size(names) ? names[i] : "Unknown";
}

std::ostream& operator<<(std::ostream& out, Half value) { return out << static_cast<float>(value); }
std::ostream& operator<<(std::ostream& out, BFloat16 value) {
    return out << static_cast<float>(value);
}

std::ostream& operator<<(std::ostream& out, ScalarType type) { return out << toString(type); }

ScalarType promote_types(ScalarType a, ScalarType b) {
    front::require_dtype("promote_types", a);
    front::require_dtype("promote_types", b);
    if (a == b || b == kBool) return a;
    if (a == kBool) return b;
    if (isComplexType(a) || isComplexType(b)) {
        const ScalarType x = toRealValueType(a), y = toRealValueType(b);
        return x == kDouble || y == kDouble ? kComplexDouble : kComplexFloat;
    }
    if (isFloatingType(a) != isFloatingType(b)) return isFloatingType(a) ? a : b;
    if (elementSize(a) != elementSize(b)) return elementSize(a) > elementSize(b) ? a : b;
    // Two dtypes of one size, neither of which holds the other's values: the next wider holds both.
    return isFloatingType(a) ? kFloat : kShort;
}

namespace {
/// Atomic, because any thread may set it while others read it.
std::atomic<ScalarType> default_dtype{kFloat};
}  // namespace

const char* TypeMeta::name() const {
    switch (type_) {
        case kByte: return "unsigned char";
        case kChar: return "signed char";
        case kShort: return "short int";
        case kInt: return "int";
        case kLong: return "long int";
        case kHalf: return "c10::Half";
        case kFloat: return "float";
        case kDouble: return "double";
        case ScalarType::ComplexHalf: return "c10::complex<c10::Half>";
        case kComplexFloat: return "c10::complex<float>";
        case kComplexDouble: return "c10::complex<double>";
        case kBool: return "bool";
        case ScalarType::QInt8: return "c10::qint8";
        case ScalarType::QUInt8: return "c10::quint8";
        case ScalarType::QInt32: return "c10::qint32";
        case kBFloat16: return "c10::BFloat16";
        case ScalarType::Undefined: break;
    }
    return "nullptr (uninitialized)";
}

std::ostream& operator<<(std::ostream& out, TypeMeta type) { return out << type.name(); }

TypeMeta get_default_dtype() { return TypeMeta(default_dtype.load(std::memory_order_relaxed)); }

void set_default_dtype(ScalarType dtype) {
    front::require_dtype("set_default_dtype", dtype);
    default_dtype.store(dtype, std::memory_order_relaxed);
}

// ---- limits

namespace {

/// Bits of the significand (`digits`), and exponents of the largest and the smallest normal number.
struct float_format {
    int bits, digits, max_exponent, min_exponent;
    double resolution;  // 10^-d for d decimal digits of precision
};

float_format format_of(ScalarType dtype) {
    switch (dtype) {
        case kHalf: return {16, 11, 15, -14, 1e-3};
        case kBFloat16: return {16, 8, 127, -126, 1e-2};
        case kFloat: return {32, 24, 127, -126, 1e-6};
        case kDouble: return {64, 53, 1023, -1022, 1e-15};
        default:
            front::fail<TypeError>("finfo", "the dtype is not floating", toString(dtype),
                                   "Half, BFloat16, Float or Double", "iinfo");
    }
}

}  // namespace

finfo::finfo() : finfo(get_default_dtype()) {}
finfo::finfo(ScalarType type) : dtype(type) {
    const float_format f = format_of(type);
    bits = f.bits;
    eps = std::ldexp(1.0, 1 - f.digits);
    max = std::ldexp(2.0 - eps, f.max_exponent);
    min = -max;
    tiny = smallest_normal = std::ldexp(1.0, f.min_exponent);
    resolution = f.resolution;
}

iinfo::iinfo(ScalarType type) : dtype(type) {
    if (!is_supported(type) || !isIntegralType(type, false))
        front::fail<TypeError>("iinfo", "the dtype is no integer", toString(type),
                               "Byte, Char, Short, Int or Long", "finfo");
    bits = static_cast<int>(elementSize(type)) * 8;
    const bool sign = isSignedType(type);
    max = static_cast<int64_t>((uint64_t{1} << (bits - (sign ? 1 : 0))) - 1);
    min = sign ? -max - 1 : 0;
}

}  // namespace sinter::inline v1
