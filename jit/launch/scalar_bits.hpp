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

/// Returns the real (0) or imaginary (1) part of a number.
inline Scalar part_of(const Scalar& s, int part) {
    if (!s.isComplex()) return part == 0 ? s : Scalar(0.0);
    return part == 0 ? s.toComplexDouble().real() : s.toComplexDouble().imag();
}

}  // namespace sinter::runtime
