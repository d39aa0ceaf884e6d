// Dimensions by name: what einsum's letters, its ellipsis and tensordot's pairs become.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace sinter::front {

/// Of a label; operands of tensordot have up to 64 dimensions each.
inline constexpr int label_max = 128;
using label_sizes = std::array<int64_t, label_max>;
using label_list = std::vector<int>;

class label_set {
public:
    constexpr label_set() = default;
    explicit label_set(const label_list& labels) {
        for (int l : labels) add(l);
    }
    constexpr void add(int l) { words_[l / 64] |= uint64_t{1} << l % 64; }
    constexpr bool has(int l) const { return (words_[l / 64] >> l % 64 & 1) != 0; }
    constexpr bool empty() const { return (words_[0] | words_[1]) == 0; }

    constexpr label_set operator|(const label_set& o) const {
        return {words_[0] | o.words_[0], words_[1] | o.words_[1]};
    }
    constexpr label_set operator&(const label_set& o) const {
        return {words_[0] & o.words_[0], words_[1] & o.words_[1]};
    }
    constexpr label_set operator-(const label_set& o) const {
        return {words_[0] & ~o.words_[0], words_[1] & ~o.words_[1]};
    }

    /// The product of their sizes, which may exceed an integer.
    double elements(const label_sizes& sizes) const {
        double n = 1;
        for (int w = 0; w < 2; ++w)
            for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
                n *= static_cast<double>(sizes[64 * w + std::countr_zero(rest)]);
        return n;
    }

private:
    constexpr label_set(uint64_t low, uint64_t high) : words_{low, high} {}
    std::array<uint64_t, 2> words_{};
};

}  // namespace sinter::front
