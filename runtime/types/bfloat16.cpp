// Converts BFloat16 to float and back with integer operations, because the AVX-512 instruction
// flushes subnormals. NaN stays NaN and keeps the part of its payload that fits.
#include <sinter/dtype.hpp>

#include <bit>

namespace sinter::inline v1 {

uint16_t BFloat16::from_float(float value) {
    const auto word = std::bit_cast<uint32_t>(value);
    const uint32_t top = word >> 16;
    const uint32_t nan = top | ((top & 0x7Fu) == 0 ? 0x40u : 0u);
    // Round to nearest even. May carry into the exponent, and past the largest number to infinity.
    const uint32_t rounded = (word + 0x7FFFu + (top & 1u)) >> 16;
    return static_cast<uint16_t>((word & 0x7FFFFFFFu) > 0x7F800000u ? nan : rounded);
}

float BFloat16::to_float(uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace sinter::inline v1
