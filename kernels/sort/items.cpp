#include "kernels/sort/items.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace sinter::ordering {

namespace {

/// Bits of a digit. Their counts fit into a first-level cache.
constexpr int most_bits = 11;
/// Shorter rows are sorted by comparisons, because radix sort has a fixed cost.
constexpr int64_t worthwhile = 300;

/// Turns counts into the places of the first items.
template <class Word>
void add_up(std::span<Word> counts) {
    Word next = 0;
    for (Word& c : counts) next += std::exchange(c, next);
}

/// Sorts by two digits of `width` bits, the lower one at bit `low`: stable passes to `spare` and
/// back.
template <class Item>
void sort_by_two(Item* items, Item* spare, int64_t n, int low, int width) {
    using word = typename Item::word;
    const uint64_t mask = (uint64_t{1} << width) - 1;
    // What begins behind the key has no bits: there the upper digit is one that has been sorted.
    const int high = std::min(low + width, 63);
    word lower[1 << most_bits], upper[1 << most_bits];
    std::fill_n(lower, mask + 1, word{0});
    std::fill_n(upper, mask + 1, word{0});
    for (int64_t i = 0; i < n; ++i) {
        const uint64_t key = items[i].key;
        ++lower[key >> low & mask];
        ++upper[key >> high & mask];
    }
    add_up(std::span(lower, mask + 1));
    add_up(std::span(upper, mask + 1));
    for (int64_t i = 0; i < n; ++i) spare[lower[uint64_t{items[i].key} >> low & mask]++] = items[i];
    for (int64_t i = 0; i < n; ++i)
        items[upper[uint64_t{spare[i].key} >> high & mask]++] = spare[i];
}

/// Radix sort from the lowest digit, by the bits in which keys differ.
template <class Item>
void sort_upwards(Item* items, Item* spare, int64_t n) {
    if (n < 64) return std::sort(items, items + n);
    uint64_t varying = 0;
    for (int64_t i = 1; i < n; ++i) varying |= items[i].key ^ items[0].key;
    if (varying == 0) return;
    int low = std::countr_zero(varying);
    const int bits = static_cast<int>(std::bit_width(varying)) - low;
    // Not more counts than items.
    const int most =
        std::min(most_bits, static_cast<int>(std::bit_width(static_cast<uint64_t>(n))) - 1);
    const int pairs = (bits + 2 * most - 1) / (2 * most);
    const int width = (bits + 2 * pairs - 1) / (2 * pairs);
    for (int p = 0; p < pairs; ++p, low += 2 * width) sort_by_two(items, spare, n, low, width);
}

}  // namespace

template <class Word>
std::pair<Word, Word> likely_range(std::span<Word> some, int64_t n, int64_t from, int64_t count) {
    const auto size = static_cast<double>(some.size());
    const auto key_near = [&](int64_t position, double side) {
        const double share = static_cast<double>(position) / static_cast<double>(n);
        // Four standard deviations of the number of chosen keys before the position.
        const double at =
            std::floor(share * size + side * (4 * std::sqrt(size * share * (1 - share)) + 2));
        if (at < 0) return Word{0};
        if (at >= size) return static_cast<Word>(~Word{0});
        const auto place = some.begin() + static_cast<std::ptrdiff_t>(at);
        std::nth_element(some.begin(), place, some.end());
        return *place;
    };
    const Word low = key_near(from, -1);
    return {low, key_near(from + count, 1)};
}
template std::pair<uint32_t, uint32_t> likely_range(std::span<uint32_t>, int64_t, int64_t, int64_t);
template std::pair<uint64_t, uint64_t> likely_range(std::span<uint64_t>, int64_t, int64_t, int64_t);

template <class Item>
void row_items<Item>::reserve(int64_t n) {
    if (n > room_) {
        memory_ = runtime::make_buffer(static_cast<std::size_t>(n) * sizeof(Item));
        spare_memory_.reset();
        items_ = static_cast<Item*>(memory_->data);
        spare_ = nullptr;
        room_ = n;
    }
    n_ = n;
    first_ = 0;
}

template <class Item>
void row_items<Item>::sort() {
    if (n_ < worthwhile)
        std::sort(items_, items_ + n_);
    else if (!std::is_sorted(items_, items_ + n_))
        sort_by_digits();
}

/// Keeps only items that may be at these positions, by the highest digits of their keys: passes
/// that count and copy mispredict no branch, where each comparison of a selection does every second
/// time.
template <class Item>
void row_items<Item>::select(int64_t from, int64_t count, int bits) {
    std::array<uint32_t, 1 << most_bits> counts;
    while (n_ >= worthwhile && n_ < UINT32_MAX && bits > 0) {
        // Bits before the first `bits` are equal in all keys, and change no order.
        const int shift = std::max(0, bits - most_bits);
        const auto digit = [=](const Item& x) { return x.key >> shift & (counts.size() - 1); };
        counts.fill(0);
        for (int64_t i = 0; i < n_; ++i) ++counts[digit(items_[i])];
        // The digits of the first and of the last wanted item.
        int64_t before = 0;
        std::size_t low = 0;
        for (; before + counts[low] <= from; ++low) before += counts[low];
        std::size_t high = low;
        int64_t end = before + counts[high];
        while (end < from + count) end += counts[++high];
        if (end - before < n_) {
            int64_t kept = 0;
            for (int64_t i = 0; i < n_; ++i) {
                const bool keep = digit(items_[i]) - low <= high - low;
                items_[kept] = items_[i];
                kept += keep;
            }
            n_ = kept;
            from -= before;
        }
        if (low != high) break;  // what is left does not have all higher digits in common
        bits = shift;
    }
    Item *const begin = items_ + from, *const end = begin + count, *const last = items_ + n_;
    if (begin > items_) std::nth_element(items_, begin, last);
    if (end < last) std::nth_element(begin, end, last);
    std::sort(begin, end);
    first_ = from;
}

/// Radix sort. Items that no cache holds are first put into groups by the highest digit, which stay
/// in a cache through all other passes.
template <class Item>
void row_items<Item>::sort_by_digits() {
    if (!spare_) {
        spare_memory_ = runtime::make_buffer(static_cast<std::size_t>(room_) * sizeof(Item));
        spare_ = static_cast<Item*>(spare_memory_->data);
    }
    const int bits = static_cast<int>(std::bit_width(varying_));
    // Groups of some hundred items: for less than 64, counts cost more than comparisons.
    const int width = std::min(most_bits, static_cast<int>(std::bit_width(uint64_t(n_))) - 9);
    const int shift = std::max(0, bits - width);
    const bool two_passes = shift > 0 && bits <= 2 * most_bits;
    if (n_ <= cached || two_passes) return sort_upwards(items_, spare_, n_);
    const std::size_t digits = std::size_t{1} << width;
    const int64_t parts = std::min<int64_t>(n_ / cached, runtime::available_threads());
    // Each part of the row has its own, which are next to each other: threads share no cache line.
    std::vector<word> places(digits * static_cast<std::size_t>(parts));
    const auto each_part = [&](const auto& f) {
        runtime::parallel_for(0, parts, 1, [&](int64_t part, int64_t last) {
            for (; part < last; ++part) {
                word* const of = places.data() + static_cast<std::size_t>(part) * digits;
                const Item* const items = items_;
                const int64_t end = n_ * (part + 1) / parts;
                for (int64_t i = n_ * part / parts; i < end; ++i)
                    f(items[i], of[items[i].key >> shift & (digits - 1)]);
            }
        });
    };
    each_part([](const Item&, word& count) { ++count; });
    std::vector<word> begins(digits + 1);
    word next = 0;
    for (std::size_t d = 0; d < digits; ++d) {
        begins[d] = next;
        for (std::size_t p = d; p < places.size(); p += digits)
            next += std::exchange(places[p], next);
    }
    begins[digits] = next;
    each_part([spare = spare_](const Item& x, word& place) { spare[place++] = x; });
    std::swap(items_, spare_);
    std::swap(memory_, spare_memory_);
    if (shift == 0) return;
    runtime::parallel_for(0, n_, cached, [&](int64_t first, int64_t last) {
        for (std::size_t d = 0; d < digits; ++d) {
            const auto begin = static_cast<int64_t>(begins[d]);
            if (begin >= first && begin < last)
                sort_upwards(items_ + begin, spare_ + begin,
                             static_cast<int64_t>(begins[d + 1]) - begin);
        }
    });
}

template class row_items<narrow_item>;
template class row_items<wide_item>;

}  // namespace sinter::ordering
