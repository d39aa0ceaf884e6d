// Sorts keys that carry an index, by (key, index). So equal keys keep their order, whichever
// algorithm runs.
#pragma once

#include "kernels/sort/order_key.hpp"
#include "runtime/device/buffer.hpp"

#include <cstdint>
#include <limits>

namespace sinter::ordering {

template <class Word>
struct item {
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
        bits_ = key_bits<T>;
        const uint64_t turn = descending ? ~uint64_t{0} >> (64 - bits_) : 0;
        for (int64_t i = 0; i < n; ++i)
            items_[i] = {static_cast<decltype(Item::key)>(order_key(x[i * step]) ^ turn),
                         static_cast<decltype(Item::index)>(i)};
    }
    /// Sorts all items.
    void sort();
    /// Sorts only the items at positions [from, from + count) of the order. The others end up
    /// anywhere.
    void select(int64_t from, int64_t count);

    int64_t size() const { return n_; }
    const Item& operator[](int64_t i) const { return items_[i]; }

private:
    void reserve(int64_t n);
    void sort_by_digits();
    struct narrowed {
        int64_t n;        // items that are left
        int64_t skipped;  // position of the first of them in the order
    };
    narrowed narrow_down(int64_t from, int64_t count);

    runtime::buffer_ptr memory_, spare_memory_;
    Item *items_ = nullptr, *spare_ = nullptr;
    int64_t n_ = 0;
    int bits_ = 0;
};

extern template class row_items<narrow_item>;
extern template class row_items<wide_item>;

/// Calls f(std::type_identity<Item>()) with the item type for rows of `n` elements of T.
template <class T, class F>
void with_items(int64_t n, const F& f) {
    if (sizeof(T) <= 4 && n <= std::numeric_limits<uint32_t>::max())
        f(std::type_identity<narrow_item>());
    else
        f(std::type_identity<wide_item>());
}

}  // namespace sinter::ordering
