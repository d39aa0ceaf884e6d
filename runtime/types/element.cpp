#include "runtime/types/element.hpp"

#include <cstring>

namespace sinter::front {
namespace {

template <class T>
T get(const char* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

template <class T>
void put(char* to, T value) {
    std::memcpy(to, &value, sizeof(T));
}

/// Converts to a 16-bit float with a single rounding, to nearest even. Converting by way of float
/// would round twice.
template <class T>
T to_narrow(double v) {
    const auto near = static_cast<float>(v);
    if (static_cast<double>(near) == v || v != v) return T(near);
    // Round to odd: the sticky last bit prevents a false tie in the second rounding.
    uint32_t bits;
    std::memcpy(&bits, &near, sizeof bits);
    const bool above = (v < 0) ? static_cast<double>(near) < v : static_cast<double>(near) > v;
    if (above) --bits;
    bits |= 1;
    float odd;
    std::memcpy(&odd, &bits, sizeof odd);
    return T(odd);
}

}  // namespace

Scalar load(const char* from, ScalarType dtype) {
    switch (dtype) {
        case kByte: return get<uint8_t>(from);
        case kChar: return get<int8_t>(from);
        case kShort: return get<int16_t>(from);
        case kInt: return get<int32_t>(from);
        case kLong: return get<int64_t>(from);
        case kHalf: return get<Half>(from);
        case kBFloat16: return get<BFloat16>(from);
        case kFloat: return get<float>(from);
        case kDouble: return get<double>(from);
        case kComplexFloat: return get<complex<float>>(from);
        case kComplexDouble: return get<complex<double>>(from);
        default: return get<uint8_t>(from) != 0;
    }
}

void store(char* to, ScalarType dtype, const Scalar& value) {
    switch (dtype) {
        case kByte: return put(to, static_cast<uint8_t>(value.truncated()));
        case kChar: return put(to, static_cast<int8_t>(value.truncated()));
        case kShort: return put(to, static_cast<int16_t>(value.truncated()));
        case kInt: return put(to, static_cast<int32_t>(value.truncated()));
        case kLong: return put(to, value.truncated());
        case kHalf: return put(to, to_narrow<Half>(value.toDouble()));
        case kBFloat16: return put(to, to_narrow<BFloat16>(value.toDouble()));
        case kFloat:
            return put(to, value.isFloatingPoint() ? value.nearest_float()
                                                   : static_cast<float>(value.truncated()));
        case kDouble: return put(to, value.toDouble());
        case kComplexFloat:
        case kComplexDouble: {
            const complex<double> z = value.toComplexDouble();
            const ScalarType part = toRealValueType(dtype);
            store(to, part, z.real());
            return store(to + elementSize(part), part, z.imag());
        }
        default: return put(to, static_cast<uint8_t>(value.toBool()));
    }
}

}  // namespace sinter::front
