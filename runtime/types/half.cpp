// Converts Half to float and back without branches, so that loops vectorise if it is inlined.
#include <sinter/dtype.hpp>

#include <bit>

namespace sinter::inline v1 {

uint16_t Half::from_float(float value) {
    uint32_t word = std::bit_cast<uint32_t>(value);
    uint32_t sign = word >> 16 & 0x8000u, magnitude = word & 0x7FFFFFFFu;
    // Below 2^-14: the ulp of 1/2 equals that of a subnormal half, so this addition rounds.
    float aligned = std::bit_cast<float>(magnitude) + 0.5f;
    uint32_t subnormal = std::bit_cast<uint32_t>(aligned) - 0x3F000000u;
    // Rounding to even may carry into the exponent, and past the largest half into infinity.
    uint32_t normal = (magnitude - 0x38000000u + 0xFFFu + (magnitude >> 13 & 1u)) >> 13;
    uint32_t special = magnitude > 0x7F800000u ? 0x7E00u : 0x7C00u;
    uint32_t half = magnitude < 0x38800000u ? subnormal : normal;
    half = magnitude < 0x47800000u ? half : special;
    return static_cast<uint16_t>(sign | half);
}

float Half::to_float(uint16_t bits) {
    uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
    uint32_t magnitude = static_cast<uint32_t>(bits & 0x7FFFu) << 13;
    // A subnormal is read as a number above 2^-14, and 2^-14 is subtracted again.
    float subnormal = std::bit_cast<float>(magnitude + 0x38800000u) - 0x1p-14f;
    uint32_t finite =
        magnitude < 0x00800000u ? std::bit_cast<uint32_t>(subnormal) : magnitude + 0x38000000u;
    uint32_t special = magnitude + 0x70000000u;
    return std::bit_cast<float>(sign | (magnitude >= 0x0F800000u ? special : finite));
}

}  // namespace sinter::inline v1
