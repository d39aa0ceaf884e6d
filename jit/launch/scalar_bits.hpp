// A Scalar as the bit pattern of a machine type: how scalars become kernel arguments.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

#include <sinter/scalar.hpp>

#include <bit>

namespace sinter::runtime {

/// Returns the bits in the low bytes; the rest is zero. Integers wrap, floats round to nearest.
inline uint64_t scalar_bits(const Scalar& s, kernel_ir::mtype type) {
    using kernel_ir::mtype;
    switch (type) {
        case mtype::b1: return s.toBool();
        case mtype::u8: return static_cast<uint8_t>(s.truncated());
        case mtype::i32: return static_cast<uint32_t>(s.truncated());
        case mtype::i64: return static_cast<uint64_t>(s.truncated());
        case mtype::f32: return std::bit_cast<uint32_t>(s.nearest_float());
        default: return std::bit_cast<uint64_t>(s.toDouble());
    }
}

/// The same of a part of a complex number: not inlined, as few numbers are complex.
[[gnu::noinline, gnu::cold]] inline uint64_t part_bits(const Scalar& s, int part,
                                                       kernel_ir::mtype type) {
    const complex<double> z = s.toComplexDouble();
    return scalar_bits(part == 0 ? z.real() : z.imag(), type);
}

/// Returns the bits of the real (0) or imaginary (1) part.
inline uint64_t scalar_bits(const Scalar& s, int part, kernel_ir::mtype type) {
    if (s.isComplex()) return part_bits(s, part, type);
    return part == 0 ? scalar_bits(s, type) : 0;
}

}  // namespace sinter::runtime
