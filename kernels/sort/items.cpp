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
    const auto [n, skipped] = narrow_down(from, count);
    Item *const begin = items_ + (from - skipped), *const end = begin + count;
    Item* const last = items_ + n;
    if (begin > items_) std::nth_element(items_, begin, last);
    if (end < last) std::nth_element(begin, end, last);
    std::sort(begin, end);
    std::copy_backward(begin, end, items_ + from + count);
}

/// Keeps only items that may be at these positions, by the highest digits of their keys: passes
/// that count and copy mispredict no branch, where each comparison of a selection does every second
/// time.
template <class Item>
auto row_items<Item>::narrow_down(int64_t from, int64_t count) -> narrowed {
    constexpr int digit = 11;
    std::array<uint32_t, 1 << digit> counts;
    narrowed now{n_, 0};
    for (int shift = bits_; now.n >= worthwhile && now.n < UINT32_MAX && shift > 0;) {
        const int width = std::min(digit, shift);
        const auto mask = static_cast<uint64_t>((1 << width) - 1);
        shift -= width;
        counts.fill(0);
        for (int64_t i = 0; i < now.n; ++i) ++counts[items_[i].key >> shift & mask];
        // The digits of the first and of the last wanted item.
        int64_t before = now.skipped, kept = 0;
        uint64_t low = 0;
        for (; before + counts[low] <= from; ++low) before += counts[low];
        uint64_t high = low;
        for (kept = counts[high]; before + kept < from + count;) kept += counts[++high];
        if (kept < now.n) {
            int64_t k = 0;
            for (int64_t i = 0; i < now.n; ++i) {
                const uint64_t at = items_[i].key >> shift & mask;
                items_[k] = items_[i];
                k += at - low <= high - low;
            }
        }
        now = {kept, before};
        if (low != high) break;  // what is left does not have all higher digits in common
    }
    return now;
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
            continue;  // all keys have the same byte here
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
