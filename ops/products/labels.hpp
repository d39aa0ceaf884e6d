// Labels of dimensions, for einsum's letters and ellipsis and tensordot's pairs.
#pragma once

#include <sinter/core/array_ref.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sinter::ops {

/// All labels are less than this. Operands of tensordot have up to 64 dimensions each.
inline constexpr int label_max = 128;
using label_sizes = std::array<int64_t, label_max>;

/// A list without heap memory that holds one item for each label, and two more for rows and
/// columns.
template <class T>
class short_list {
public:
    using value_type = T;

    short_list() = default;
    short_list(const short_list& o) : size_(o.size_) { std::copy(o.begin(), o.end(), items_); }
    short_list& operator=(const short_list& o) {
        if (this == &o) return *this;
        size_ = o.size_;
        std::copy(o.begin(), o.end(), items_);
        return *this;
    }

    void push_back(T item) { items_[size_++] = item; }
    void append(const short_list& o) {
        std::copy(o.begin(), o.end(), end());
        size_ += o.size_;
    }
    void clear() { size_ = 0; }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return items_; }
    T* end() { return items_ + size_; }
    const T* begin() const { return items_; }
    const T* end() const { return items_ + size_; }
    T& operator[](std::size_t i) { return items_[i]; }
    T operator[](std::size_t i) const { return items_[i]; }
    T& back() { return items_[size_ - 1]; }

    /// Returns the position of the first such item, or size().
    std::size_t find(T item) const {
        std::size_t i = 0;
        while (i < size_ && items_[i] != item) ++i;
        return i;
    }
    bool has(T item) const { return find(item) != size_; }
    bool operator==(const short_list& o) const {
        return std::equal(begin(), end(), o.begin(), o.end());
    }

    /// Sorts stably by rising keys. Lists are short, so it is an insertion sort.
    template <class F>
    void sort_by(const F& key) {
        for (std::size_t i = 1; i < size_; ++i)
            for (std::size_t j = i; j > 0 && key(items_[j]) < key(items_[j - 1]); --j)
                std::swap(items_[j], items_[j - 1]);
    }

private:
    std::size_t size_ = 0;
    T items_[label_max + 2];  // uninitialised beyond size()
};

using label_list = short_list<uint8_t>;
using extent_list = short_list<int64_t>;
inline IntArrayRef ref(const extent_list& list) { return {list.begin(), list.size()}; }

class label_set {
public:
    constexpr label_set() = default;
    explicit label_set(const label_list& labels) {
        for (uint8_t l : labels) add(l);
    }
    constexpr void add(uint8_t l) { words_[l / 64] |= uint64_t{1} << l % 64; }
    constexpr bool has(uint8_t l) const { return (words_[l / 64] >> l % 64 & 1) != 0; }
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

    /// Returns the product of the labels' sizes, as a double because it may exceed 64 bits.
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

}  // namespace sinter::ops
