// Sorts keys that carry an index, by (key, index). So equal keys keep their order, whichever
// algorithm runs.
#pragma once

#include "kernels/slices/places.hpp"
#include "kernels/sort/order_key.hpp"
#include "kernels/sort/row_keys.hpp"
#include "runtime/device/buffer.hpp"
#include "runtime/threads/threads.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace sinter::ordering {

template <class Word>
struct item {
    using word = Word;
    Word key, index;
    friend bool operator<(const item& a, const item& b) {
        return a.key != b.key ? a.key < b.key : a.index < b.index;
    }
};
using narrow_item = item<uint32_t>;
using wide_item = item<uint64_t>;

/// The items of one row, and spare memory for sorting.
template <class Item>
class row_items {
public:
    /// Loads `n` elements; indices rise. Keys are inverted if `descending`, so that the largest
    /// element comes first.
    template <class T>
    void load(const T* x, int64_t step, int64_t n, bool descending) {
        reserve(n);
        const row_keys<T, word> keys(x, step, descending);
        Item* const to = items_;
        if (n <= cached) {
            for (int64_t i = 0; i < n; ++i) to[i] = {keys[i], static_cast<word>(i)};
            return;
        }
        std::atomic<word> ones{0}, zeros{0};
        runtime::parallel_for(0, n, cached, [&](int64_t begin, int64_t end) {
            word some = 0, all = static_cast<word>(~word{0});
            for (int64_t i = begin; i < end; ++i) {
                const word key = keys[i];
                to[i] = {key, static_cast<word>(i)};
                some |= key;
                all &= key;
            }
            ones.fetch_or(some, std::memory_order_relaxed);
            zeros.fetch_or(~all, std::memory_order_relaxed);
        });
        varying_ = ones & zeros;
    }
    /// Sorts all items.
    void sort();
    /// Loads the items at positions [from, from + count) of the order, sorted: item 0 is then that
    /// at `from`.
    template <class T>
    void load_sorted(const T* x, int64_t step, int64_t n, bool descending, int64_t from,
                     int64_t count) {
        const bool few = count <= n / 16;
        if (few && n >= long_row && load_likely<T>({x, step, descending}, n, from, count)) return;
        load(x, step, n, descending);
        if (few) return select(from, count, key_bits<T>);
        sort();
        first_ = from;
    }

    int64_t size() const { return n_; }
    const Item& operator[](int64_t i) const { return items_[first_ + i]; }

private:
    using word = typename Item::word;
    /// So many items, and as many spare ones, stay in a second-level cache.
    static constexpr int64_t cached = (1 << 19) / sizeof(Item);
    /// Of longer rows only items that may be wanted are stored.
    static constexpr int64_t long_row = 1 << 15;

    /// Makes room for n items.
    void reserve(int64_t n);
    void sort_by_digits();
    /// Sorts the items at positions [from, from + count) of the order. The keys differ in their
    /// lowest `bits` bits only.
    void select(int64_t from, int64_t count, int bits);

    /// Loads and sorts these items. Returns false if some keys of the row do not tell enough about
    /// the others.
    template <class T>
    bool load_likely(const row_keys<T, word>& keys, int64_t n, int64_t from, int64_t count) {
        std::array<word, 4096> chosen;
        const std::span some(chosen.data(), std::min<std::size_t>(chosen.size(), n / 64));
        keys.choose(n, some);
        const auto [low, high] = likely_range<word>(some, n, from, count);
        reserve(n);
        int64_t below = 0, kept = 0;
        keys.each_block(0, n,
                        [&, low = low, span = static_cast<word>(high - low)](
                            const word* k, int64_t first, int64_t m) {
                            constexpr int64_t block = row_keys<T, word>::block;
                            uint8_t wanted[block];
                            word less = 0;
                            for (int64_t i = 0; i < block; ++i) {
                                wanted[i] = static_cast<word>(k[i] - low) <= span;
                                less += k[i] < low;
                            }
                            uint16_t places[block + 8];
                            const int64_t found = rows::nonzero_places(wanted, m, places);
                            Item* const to = items_ + kept;
                            for (int64_t i = 0; i < found; ++i)
                                to[i] = {k[places[i]], static_cast<word>(first + places[i])};
                            kept += found;
                            below += static_cast<int64_t>(less);
                        });
        if (from < below || from + count > below + kept) return false;
        n_ = kept;
        select(from - below, count,
               static_cast<int>(std::bit_width(static_cast<word>(low ^ high))));
        return true;
    }

    runtime::buffer_ptr memory_, spare_memory_;
    Item *items_ = nullptr, *spare_ = nullptr;
    int64_t n_ = 0, room_ = -1, first_ = 0;
    uint64_t varying_ = 0;  // the bits in which keys of a long row differ
};

extern template class row_items<narrow_item>;
extern template class row_items<wide_item>;

/// Calls f(std::type_identity<Item>()) with the item type for rows of `n` elements of T.
template <class T, class F>
void with_items(int64_t n, const F& f) {
    if constexpr (sizeof(T) <= 4)
        if (n <= std::numeric_limits<uint32_t>::max()) return f(std::type_identity<narrow_item>());
    f(std::type_identity<wide_item>());
}

}  // namespace sinter::ordering
