// Conversions of numbers. Subnormal results are exact even on a thread that flushes them.
#include "runtime/base/fail.hpp"
#include "runtime/types/element.hpp"
#include "runtime/types/number_checks.hpp"

#include <cmath>
#include <complex>
#include <istream>
#include <ostream>

namespace sinter::inline v1 {

template <class T>
T Scalar::to() const {
    runtime::require_fits("scalar", *this, scalar_type_v<T>);
    if constexpr (std::is_same_v<T, bool>) {
        return toBool();
    } else {
        T value;
        runtime::store(reinterpret_cast<char*>(&value), scalar_type_v<T>, *this);
        return value;
    }
}

#define SINTER_DTYPE(type, ...) template SINTER_API type Scalar::to<type>() const;
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>

double Scalar::real_part() const {
    if (is_nonzero(imag_))
        runtime::fail<ValueError>("scalar", "the number has an imaginary part",
                                  runtime::to_text(*this), "a real number",
                                  "toComplexDouble().real() for its real part");
    return d_;
}

float Scalar::nearest_float() const {
    const double value = toDouble();
    const double magnitude = std::abs(value);
    if (magnitude >= 0x1p-126 || std::isnan(value)) return static_cast<float>(value);
    // In units of the smallest float the number is below 2^23; adding 2^52 rounds off its fraction.
    const double whole = magnitude * 0x1p149 + 0x1p52 - 0x1p52;
    const auto bits = static_cast<uint32_t>(whole);
    return std::bit_cast<float>(std::signbit(value) ? bits | 0x80000000u : bits);
}

Scalar Scalar::operator-() const {
    if (isComplex()) return -toComplexDouble();
    if (isFloatingPoint()) return -toDouble();
    // A bool is negated as the number 0 or 1. The smallest integer wraps to itself.
    return static_cast<int64_t>(-static_cast<uint64_t>(toLong()));
}

bool Scalar::equal(const Scalar& other) const {
    return isBoolean() == other.isBoolean() && runtime::same_value(*this, other);
}

std::ostream& operator<<(std::ostream& out, const complex<float>& z) {
    return out << std::complex<float>(z);
}
std::ostream& operator<<(std::ostream& out, const complex<double>& z) {
    return out << std::complex<double>(z);
}

template <class T>
static std::istream& read_complex(std::istream& in, complex<T>& z) {
    std::complex<T> value;
    if (in >> value) z = value;
    return in;
}
std::istream& operator>>(std::istream& in, complex<float>& z) { return read_complex(in, z); }
std::istream& operator>>(std::istream& in, complex<double>& z) { return read_complex(in, z); }

std::ostream& operator<<(std::ostream& out, const Scalar& s) {
    if (s.isComplex()) return out << s.toComplexDouble();
    if (s.isFloatingPoint()) return out << s.toDouble();
    if (s.isBoolean()) return out << (s.toBool() ? "true" : "false");
    return out << s.toLong();
}

}  // namespace sinter::inline v1
