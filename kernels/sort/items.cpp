#include "kernels/sort/items.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace sinter::ordering {

// Shorter rows are sorted by comparisons, because radix sort has a fixed cost.
constexpr int64_t worthwhile = 300;

template <class Item>
void row_items<Item>::reserve(int64_t n) {
    if (n > n_ || !memory_) {
        const auto bytes = static_cast<std::size_t>(n) * sizeof(Item);
        memory_ = runtime::make_buffer(bytes);
        spare_memory_.reset();
        items_ = static_cast<Item*>(memory_->data);
        spare_ = nullptr;
    }
    n_ = n;
}

template <class Item>
void row_items<Item>::sort() {
    if (n_ < worthwhile)
        std::sort(items_, items_ + n_);
    else if (!std::is_sorted(items_, items_ + n_))
        sort_by_digits();
}

template <class Item>
void row_items<Item>::select(int64_t from, int64_t count) {
    if (count > n_ / 16) return sort();
    Item* const begin = items_ + from;
    if (from > 0) std::nth_element(items_, begin, items_ + n_);
    if (from + count < n_) std::nth_element(begin, begin + count, items_ + n_);
    std::sort(begin, begin + count);
}

/// Radix sort: a stable pass per byte of the keys, lowest byte first.
template <class Item>
void row_items<Item>::sort_by_digits() {
    if (!spare_) {
        spare_memory_ = runtime::make_buffer(static_cast<std::size_t>(n_) * sizeof(Item));
        spare_ = static_cast<Item*>(spare_memory_->data);
    }
    const int digits = bits_ / 8;
    std::array<std::array<int64_t, 256>, 8> counts{};
    for (int64_t i = 0; i < n_; ++i)
        for (int d = 0; d < digits; ++d)
            ++counts[static_cast<std::size_t>(d)][items_[i].key >> (8 * d) & 255];
    for (int d = 0; d < digits; ++d) {
        auto& places = counts[static_cast<std::size_t>(d)];
        if (places[items_[0].key >> (8 * d) & 255] == n_)
            continue;  // all keys have the same byte
                       // here
        int64_t next = 0;
        for (int64_t& p : places) next += std::exchange(p, next);
        for (int64_t i = 0; i < n_; ++i)
            spare_[places[items_[i].key >> (8 * d) & 255]++] = items_[i];
        std::swap(items_, spare_);
    }
}

template class row_items<narrow_item>;
template class row_items<wide_item>;

}  // namespace sinter::ordering
