// The keys of a row of elements, and what some of them tell about all.
#pragma once

#include "kernels/sort/order_key.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

namespace sinter::ordering {

/// Keys are inverted if `descending`, so that the largest element comes first.
template <class T, class Word>
class row_keys {
public:
    row_keys(const T* x, int64_t step, bool descending)
        : x_(x),
          step_(step),
          turn_(static_cast<Word>(descending ? ~uint64_t{0} >> (64 - key_bits<T>) : 0)) {}

    Word operator[](int64_t i) const { return key_of(x_[i * step_]); }

    /// Blocks have a constant number of keys, so that the compiler computes several at once.
    static constexpr int64_t block = 256;

    /// Calls f(keys, first, count) for the blocks of elements [begin, end). Keys after `count` are
    /// the largest number.
    template <class F>
    void each_block(int64_t begin, int64_t end, const F& f) const {
        T elements[block] = {};
        Word keys[block];
        for (; begin < end; begin += block) {
            const int64_t count = std::min(block, end - begin);
            const T* from = x_ + begin;
            if (step_ != 1 || count < block) {
                for (int64_t i = 0; i < count; ++i) elements[i] = x_[(begin + i) * step_];
                from = elements;
            }
            for (int64_t i = 0; i < block; ++i) keys[i] = key_of(from[i]);
            std::fill(keys + count, keys + block, static_cast<Word>(~Word{0}));
            f(keys, begin, count);
        }
    }
    /// Takes keys from all parts of a row of `n` elements, fewer than 2^32, not at equal distances:
    /// rows may have a period.
    void choose(int64_t n, std::span<Word> keys) const {
        const auto apart = static_cast<uint64_t>(n) / keys.size();
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const uint64_t at = i * apart + ((i * 0x9e3779b97f4a7c15 >> 32) * apart >> 32);
            keys[i] = (*this)[static_cast<int64_t>(at)];
        }
    }

private:
    Word key_of(T x) const { return static_cast<Word>(static_cast<Word>(order_key(x)) ^ turn_); }

    const T* x_;
    int64_t step_;
    Word turn_;
};

/// Returns the least and the largest key that positions [from, from + count) of the order of `n`
/// keys are likely to have, by some of these keys, which it reorders.
template <class Word>
std::pair<Word, Word> likely_range(std::span<Word> some, int64_t n, int64_t from, int64_t count);

}  // namespace sinter::ordering
