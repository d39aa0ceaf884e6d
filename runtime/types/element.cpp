#include "runtime/types/element.hpp"

#include "runtime/types/dtypes.hpp"

#include <cstring>

namespace sinter::runtime {
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
    return with_type(dtype, [from]<class T>(std::type_identity<T>) -> Scalar {
        if constexpr (std::is_same_v<T, bool>)
            return get<uint8_t>(from) != 0;
        else
            return get<T>(from);
    });
}

void store(char* to, ScalarType dtype, const Scalar& value) {
    with_type(dtype, [&]<class T>(std::type_identity<T>) {
        if constexpr (complex_element<T>) {
            const complex<double> z = value.toComplexDouble();
            const ScalarType part = toRealValueType(dtype);
            store(to, part, z.real());
            store(to + elementSize(part), part, z.imag());
        } else if constexpr (std::is_same_v<T, bool>) {
            put(to, static_cast<uint8_t>(value.toBool()));
        } else if constexpr (integer_element<T>) {
            put(to, static_cast<T>(value.truncated()));
        } else if constexpr (narrow_float<T>) {
            put(to, to_narrow<T>(value.toDouble()));
        } else if constexpr (std::is_same_v<T, float>) {
            put(to, value.isFloatingPoint() ? value.nearest_float()
                                            : static_cast<float>(value.truncated()));
        } else {
            put(to, value.toDouble());
        }
    });
}

}  // namespace sinter::runtime
