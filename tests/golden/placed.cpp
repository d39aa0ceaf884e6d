// The operands of database.py: elements between two numbers, or stored ones, at strides and an
// offset.
#include "tests/golden/call.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace sinter::golden {
namespace {

uint64_t hashed(int64_t i, int64_t seed, int bits) {
    uint64_t h = static_cast<uint64_t>(i + 1) * 0x9E3779B97F4A7C15u +
                 static_cast<uint64_t>(seed) * 0xD1B54A32D192ED03u;
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9u;
    h ^= h >> 32;
    return h >> (64 - bits);
}

template <class T>
uint64_t bits_of(T x) {
    uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof x);
    return bits;
}

/// Returns the bits of number i of the formula, as one part of a complex number or as a whole.
uint64_t between(const recipe& r, int64_t i, ScalarType type) {
    const auto low = static_cast<int64_t>(r.low), high = static_cast<int64_t>(r.high);
    const auto whole = [&] {
        return low +
               static_cast<int64_t>(hashed(i, r.seed, 32) % static_cast<uint64_t>(high - low + 1));
    };
    const double x =
        r.low + (r.high - r.low) * std::ldexp(static_cast<double>(hashed(i, r.seed, 24)), -24);
    switch (type) {
        case kBool: return hashed(i, r.seed, 1);
        case kHalf: return bits_of(Half(static_cast<float>(x)));
        case kBFloat16: return bits_of(BFloat16(static_cast<float>(x)));
        case kFloat: return bits_of(static_cast<float>(x));
        case kDouble: return bits_of(x);
        default: return static_cast<uint64_t>(whole());
    }
}

}  // namespace

Tensor make_placed(const recipe& r) {
    const ScalarType part = toRealValueType(r.dtype);
    const int64_t parts = isComplexType(r.dtype) ? 2 : 1;
    const std::size_t size = elementSize(part);
    int64_t numel = 1, reach = r.offset + 1;
    for (std::size_t d = 0; d < r.sizes.size(); ++d) {
        numel *= r.sizes[d];
        reach += (r.sizes[d] - 1) * r.strides[d];
    }
    reach = numel == 0 ? r.offset + 1 : reach;
    if (r.kind == 'v' && static_cast<int64_t>(r.bits.size()) != numel * parts)
        throw std::runtime_error("an operand has too few elements");
    std::vector<char> bytes(static_cast<std::size_t>(reach * parts) * size);
    std::vector<int64_t> at(r.sizes.size(), 0);
    for (int64_t i = 0; i < numel; ++i) {
        int64_t place = r.offset;
        for (std::size_t d = 0; d < at.size(); ++d) place += at[d] * r.strides[d];
        for (int64_t k = 0; k < parts; ++k) {
            const int64_t number = i * parts + k;
            const uint64_t bits =
                r.kind == 'v' ? r.bits[static_cast<std::size_t>(number)] : between(r, number, part);
            std::memcpy(&bytes[static_cast<std::size_t>(place * parts + k) * size], &bits, size);
        }
        for (std::size_t d = at.size(); d-- > 0;) {
            if (++at[d] < r.sizes[d]) break;
            at[d] = 0;
        }
    }
    const void* memory = bytes.data();
    return from_blob(memory, {reach}, r.dtype)
        .to(get_default_device(), r.dtype, false, true)
        .eval()
        .as_strided(r.sizes, r.strides, r.offset);
}

}  // namespace sinter::golden
