// BFloat16 to float and back, in integers: the AVX-512 instruction for it flushes subnormals. NaN
// keeps what of its payload fits, and stays NaN.
#include <sinter/dtype.hpp>

#include <bit>

namespace sinter::inline v1 {

uint16_t BFloat16::from_float(float value) {
    const auto word = std::bit_cast<uint32_t>(value);
    const uint32_t top = word >> 16;
    const uint32_t nan = top | ((top & 0x7Fu) == 0 ? 0x40u : 0u);
    // To even; carries into the exponent, and past the largest number into infinity.
    const uint32_t rounded = (word + 0x7FFFu + (top & 1u)) >> 16;
    return static_cast<uint16_t>((word & 0x7FFFFFFFu) > 0x7F800000u ? nan : rounded);
}

float BFloat16::to_float(uint16_t bits) {
    return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace sinter::inline v1
