#include "ops/io/wide_elements.hpp"

#include <cstring>

namespace sinter::ops {

std::optional<uint64_t> widen_unsigned(char* to, std::size_t from, ScalarType dtype,
                                       std::size_t n) {
    const std::size_t wide = elementSize(dtype);
    for (std::size_t i = n; i-- > 0;) {
        uint64_t value = 0;
        std::memcpy(&value, to + i * from, from);
        if (value > INT64_MAX) return value;
        std::memcpy(to + i * wide, &value, wide);
    }
    return std::nullopt;
}

void normalize_bools(char* to, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) to[i] = to[i] != 0;
}

}  // namespace sinter::ops
