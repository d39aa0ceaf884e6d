// The block sizes of the pool: powers of two with quarter steps, from 64 bytes up. Every size is a
// multiple of 64, and a block of more than 256 bytes wastes at most a fifth.
#pragma once

#include <bit>
#include <cstddef>

namespace sinter::runtime {

inline constexpr std::size_t block_alignment = 64;

/// Returns the class of a size. 0 to 3: 64, 128, 192, 256 bytes; then four classes per doubling:
/// 320, 384, 448, 512, 640, ...
constexpr int size_class(std::size_t bytes) {
    if (bytes <= 4 * block_alignment)
        return bytes == 0 ? 0 : static_cast<int>((bytes - 1) / block_alignment);
    // The three leading bits of bytes - 1 are 1xy; its magnitude and xy select the class.
    int shift = static_cast<int>(std::bit_width(bytes - 1)) - 3;
    return 4 * (shift - 5) + static_cast<int>((bytes - 1) >> shift & 3);
}

constexpr std::size_t class_bytes(int c) {
    if (c < 4) return static_cast<std::size_t>(c + 1) * block_alignment;
    // NOLINTNEXTLINE(clang-analyzer-core.BitwiseShift): no class is above 2^63 bytes
    return static_cast<std::size_t>(5 + c % 4) << (c / 4 + 5);
}

static_assert(size_class(256) == 3 && size_class(257) == 4 && size_class(320) == 4 &&
              size_class(321) == 5 && size_class(512) == 7 && size_class(513) == 8);
static_assert(class_bytes(3) == 256 && class_bytes(4) == 320 && class_bytes(7) == 512 &&
              class_bytes(8) == 640);

}  // namespace sinter::runtime
