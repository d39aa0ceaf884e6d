// The integers of a range, for `for (auto i : irange(n))`.
#pragma once

#include <cstddef>
#include <type_traits>

namespace sinter::inline v1 {

/// The integers from one number to before another.
template <class I>
class integer_range {
public:
    /// Counts up.
    class iterator {
    public:
        /// What range-based loops need.
        ///@{
        using value_type = I;
        using difference_type = std::ptrdiff_t;
        constexpr iterator() = default;
        explicit constexpr iterator(I at) : at_(at) {}
        constexpr I operator*() const { return at_; }
        constexpr iterator& operator++() {
            ++at_;
            return *this;
        }
        constexpr iterator operator++(int) {
            const iterator old = *this;
            ++at_;
            return old;
        }
        constexpr bool operator==(const iterator& o) const = default;
        ///@}

    private:
        I at_{};
    };
    /// From `from` to `to`, without it; empty if `to` is smaller.
    constexpr integer_range(I from, I to) : from_(from), to_(to < from ? from : to) {}
    /// The first integer, and the one after the last.
    ///@{
    constexpr iterator begin() const { return iterator(from_); }
    constexpr iterator end() const { return iterator(to_); }
    ///@}

private:
    I from_, to_;
};

/// Returns the integers from 0 to `end`, without it; none if `end` is negative. libtorch:
/// c10::irange.
template <class I>
    requires std::is_integral_v<I>
constexpr integer_range<I> irange(I end) {
    return {I{0}, end};
}
/// Returns the integers from `begin` to `end`, without it, of `end`'s type.
template <class I, class J>
    requires(std::is_integral_v<I> && std::is_integral_v<J>)
constexpr integer_range<J> irange(I begin, J end) {
    return {static_cast<J>(begin), end};
}

}  // namespace sinter::inline v1
