// A number narrowed to float, subnormal results included, whatever the calling thread does to them.
#include <sinter/scalar.hpp>

#include <cmath>

namespace sinter::inline v1 {

float Scalar::toFloat() const {
    const double value = toDouble();
    const double magnitude = std::abs(value);
    if (magnitude >= 0x1p-126 || std::isnan(value)) return static_cast<float>(value);
    // In units of the smallest float, a number below 2^23: at 2^52 the adder drops its fraction.
    const double whole = magnitude * 0x1p149 + 0x1p52 - 0x1p52;
    const auto bits = static_cast<uint32_t>(whole);
    return std::bit_cast<float>(std::signbit(value) ? bits | 0x80000000u : bits);
}

}  // namespace sinter::inline v1
