// The positions of true bytes, found without a branch for each byte: that of a random mask would be
// mispredicted every second time.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace sinter::rows {

/// Returns 1 in each byte that is not zero.
inline uint64_t nonzero_bytes(uint64_t w) {
    constexpr uint64_t low = 0x7f7f7f7f7f7f7f7f;
    return (((w & low) + low) | w) >> 7 & 0x0101010101010101;
}

inline uint64_t eight_bytes(const uint8_t* p) {
    uint64_t w;
    std::memcpy(&w, p, sizeof w);
    return w;
}

/// For each pattern of eight true or false bytes, where the true ones are, packed.
inline constexpr auto true_places = [] {
    struct pattern {
        uint16_t places[8];
        int32_t count;
    };
    std::array<pattern, 256> all{};
    for (unsigned p = 0; p < 256; ++p)
        for (unsigned i = 0; i < 8; ++i)
            if (p >> i & 1) all[p].places[all[p].count++] = static_cast<uint16_t>(i);
    return all;
}();

/// Writes the positions of the bytes that are not zero, at most 65,536 of `n`, and returns their
/// number. Eight places are stored at once, of which the next ones overwrite the unused: `places`
/// has room for n + 8.
inline int64_t nonzero_places(const uint8_t* bytes, int64_t n, uint16_t* places) {
    int64_t count = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        const uint64_t ones = nonzero_bytes(eight_bytes(bytes + i));
        const auto& p = true_places[ones * 0x0102040810204080 >> 56];
        for (int j = 0; j < 8; ++j) places[count + j] = static_cast<uint16_t>(p.places[j] + i);
        count += p.count;
    }
    for (; i < n; ++i)
        if (bytes[i] != 0) places[count++] = static_cast<uint16_t>(i);
    return count;
}

}  // namespace sinter::rows
