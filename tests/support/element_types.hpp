// The element types that the tests know, and which of their bits are NaN.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>

namespace sinter::testing {

inline constexpr ScalarType all_types[] = {kByte, kChar,     kShort, kInt,    kLong,
                                           kHalf, kBFloat16, kFloat, kDouble, kBool};

inline bool is_nan(ScalarType type, uint64_t bits) {
    switch (type) {
        case kHalf: return (bits & 0x7fff) > 0x7c00;
        case kBFloat16: return (bits & 0x7fff) > 0x7f80;
        case kFloat: return (bits & 0x7fffffff) > 0x7f800000;
        case kDouble: return (bits & ~(uint64_t{1} << 63)) > uint64_t{0x7ff} << 52;
        default: return false;
    }
}

}  // namespace sinter::testing
