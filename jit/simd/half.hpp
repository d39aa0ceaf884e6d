// Half and BFloat16 to float and back, one element and in runs. Runs of halves use the F16C
// instructions if the level has them. Everything else uses integer operations without branches, so
// loops vectorise.
#pragma once

#include "jit/simd/table.hpp"

#include <cstdint>

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace sinter::block::SINTER_BLOCK_LEVEL {

inline float half_to_float(uint16_t h) {
    const uint32_t magnitude = static_cast<uint32_t>(h & 0x7FFF) << 13;
    // The exponent biases differ by 112. The product is exact and also handles subnormals.
    const float scaled = __builtin_bit_cast(float, magnitude) * 0x1p112f;
    const uint32_t finite = __builtin_bit_cast(uint32_t, scaled);
    const uint32_t special = magnitude | 0x7F800000u | (magnitude > 0x0F800000u ? 0x400000u : 0u);
    const uint32_t bits = magnitude >= 0x0F800000u ? special : finite;
    return __builtin_bit_cast(float, bits | static_cast<uint32_t>(h & 0x8000) << 16);
}

/// Rounds to nearest even, including subnormals; overflow gives infinity.
inline uint16_t float_to_half(float x) {
    const uint32_t all = __builtin_bit_cast(uint32_t, x);
    const uint32_t sign = all & 0x80000000u;
    const uint32_t u = all ^ sign;
    // Subnormal results: adding 0.5 makes the float adder round at the right bit.
    const float shifted = __builtin_bit_cast(float, u) + 0.5f;
    const uint32_t tiny = __builtin_bit_cast(uint32_t, shifted) - 0x3F000000u;
    const uint32_t normal = (u - (112u << 23) + 0xFFFu + ((u >> 13) & 1u)) >> 13;
    const uint32_t big = u > 0x7F800000u ? 0x7E00u : 0x7C00u;
    const uint32_t h = u >= 0x47800000u ? big : u < 0x38800000u ? tiny : normal;
    return static_cast<uint16_t>(h | sign >> 16);
}

inline void halves_to_floats(float* to, const uint16_t* from, int64_t n) {
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        const __m128i h = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(h));
    }
#endif
    for (; i < n; ++i) to[i] = half_to_float(from[i]);
}

inline void floats_to_halves(uint16_t* to, const float* from, int64_t n) {
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        const __m256 x = _mm256_loadu_ps(from + i);
        const __m128i h = _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), h);
    }
#endif
    for (; i < n; ++i) to[i] = float_to_half(from[i]);
}

/// Rounds each float to the nearest half, as a float.
inline void round_halves(float* to, const float* from, int64_t n) {
    int64_t i = 0;
#if defined(__F16C__)
    for (; i + 8 <= n; i += 8) {
        const __m256 x = _mm256_loadu_ps(from + i);
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT)));
    }
#endif
    for (; i < n; ++i) to[i] = half_to_float(float_to_half(from[i]));
}

// ---- BFloat16, as in runtime/types/bfloat16.cpp

inline float bfloat_to_float(uint16_t b) {
    return __builtin_bit_cast(float, static_cast<uint32_t>(b) << 16);
}

inline uint16_t float_to_bfloat(float x) {
    const uint32_t word = __builtin_bit_cast(uint32_t, x), top = word >> 16;
    const uint32_t nan = top | ((top & 0x7Fu) == 0 ? 0x40u : 0u);
    const uint32_t rounded = (word + 0x7FFFu + (top & 1u)) >> 16;
    return static_cast<uint16_t>((word & 0x7FFFFFFFu) > 0x7F800000u ? nan : rounded);
}

/// Conversions of the bits of a narrow float.
///@{
template <ScalarType>
struct narrow_number;
template <>
struct narrow_number<kHalf> {
    static float wide(uint16_t bits) { return half_to_float(bits); }
    static uint16_t rounded(float x) { return float_to_half(x); }
};
template <>
struct narrow_number<kBFloat16> {
    static float wide(uint16_t bits) { return bfloat_to_float(bits); }
    static uint16_t rounded(float x) { return float_to_bfloat(x); }
};
///@}

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
