// Non-owning lists: ArrayRef, and IntArrayRef for sizes, strides and dimensions.
#pragma once

#include <sinter/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <optional>
#include <type_traits>
#include <vector>

namespace sinter::inline v1 {

namespace detail {
/// Throws IndexError for an element or a slice outside the list.
[[noreturn]] SINTER_API void outside_list(const char* op, std::size_t at, std::size_t size);
}  // namespace detail

/// A list that another object owns, and that must not outlive it. Braces and a single element live
/// until the end of the call that they are an argument of. libtorch: c10::ArrayRef.
template <class T>
class ArrayRef {
public:
    /// Types of standard containers.
    ///@{
    using value_type = T;
    using size_type = std::size_t;
    using iterator = const T*;
    using const_iterator = const T*;
    using reverse_iterator = std::reverse_iterator<iterator>;
    ///@}

    /// An empty list.
    constexpr ArrayRef() = default;
    /// The elements of a range.
    ///@{
    constexpr ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
    constexpr ArrayRef(const T* begin, const T* end)
        : data_(begin), size_(static_cast<std::size_t>(end - begin)) {}
    ///@}
    /// One element, or all of a container.
    ///@{
    constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}              // NOLINT
    ArrayRef(const std::vector<T>& v) : data_(v.data()), size_(v.size()) {}  // NOLINT
    template <std::size_t N>
    constexpr ArrayRef(const std::array<T, N>& v) : data_(v.data()), size_(N) {}  // NOLINT
    template <std::size_t N>
    constexpr ArrayRef(const T (&v)[N]) : data_(v), size_(N) {}  // NOLINT
    ///@}
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
    /// The elements in braces, which live until the end of the call.
    constexpr ArrayRef(const std::initializer_list<T>& v)  // NOLINT: lives to the end of the call
        : data_(v.begin() == v.end() ? nullptr : v.begin()), size_(v.size()) {}
#pragma GCC diagnostic pop

    /// Iterators, as of standard containers.
    ///@{
    constexpr iterator begin() const { return data_; }
    constexpr iterator end() const { return data_ + size_; }
    constexpr reverse_iterator rbegin() const { return reverse_iterator(end()); }
    constexpr reverse_iterator rend() const { return reverse_iterator(begin()); }
    ///@}
    /// Returns the address of the first element.
    constexpr const T* data() const { return data_; }
    /// Returns the number of elements, or true if there are none.
    ///@{
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    ///@}
    /// Returns an element; the index is not checked.
    constexpr const T& operator[](std::size_t i) const { return data_[i]; }
    /// Returns an element. Throws IndexError outside the list.
    constexpr const T& at(std::size_t i) const {
        if (i >= size_) detail::outside_list("at", i, size_);
        return data_[i];
    }
    /// Returns the first or last element. Throws IndexError if the list is empty.
    ///@{
    constexpr const T& front() const {
        if (size_ == 0) detail::outside_list("front", 0, 0);
        return data_[0];
    }
    constexpr const T& back() const {
        if (size_ == 0) detail::outside_list("back", 0, 0);
        return data_[size_ - 1];
    }
    ///@}
    /// Returns a copy.
    std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
    /// Returns true if both lists have equal elements.
    constexpr bool equals(ArrayRef o) const {
        if (size_ != o.size_) return false;
        for (std::size_t i = 0; i < size_; ++i)
            if (!(data_[i] == o.data_[i])) return false;
        return true;
    }
    /// Returns true if `holds` is true of all elements.
    template <class F>
    constexpr bool allMatch(const F& holds) const {
        for (const T& value : *this)
            if (!holds(value)) return false;
        return true;
    }
    /// Returns `count` elements from `start`, or all from there. Throws IndexError if there are
    /// fewer.
    ///@{
    constexpr ArrayRef slice(std::size_t start, std::size_t count) const {
        if (start > size_ || count > size_ - start)
            detail::outside_list("slice", start + count, size_);
        return {data_ + start, count};
    }
    constexpr ArrayRef slice(std::size_t start) const {
        if (start > size_) detail::outside_list("slice", start, size_);
        return {data_ + start, size_ - start};
    }
    ///@}
    /// equals().
    friend constexpr bool operator==(ArrayRef a, ArrayRef b) { return a.equals(b); }

private:
    const T* data_ = nullptr;
    std::size_t size_ = 0;
};

/// Sizes, strides or dimensions.
using IntArrayRef = ArrayRef<int64_t>;

/// A list of integers or none, from anything that an IntArrayRef is made of; like one, it does not
/// own its elements. libtorch: at::OptionalIntArrayRef.
class OptionalIntArrayRef {
public:
    /// No list.
    ///@{
    OptionalIntArrayRef() = default;
    OptionalIntArrayRef(std::nullopt_t) {}  // NOLINT
    ///@}
    /// A list; none for an empty optional.
    ///@{
    OptionalIntArrayRef(IntArrayRef list) : list_(list), has_value_(true) {}  // NOLINT
    OptionalIntArrayRef(const std::optional<IntArrayRef>& list)               // NOLINT
        : list_(list.value_or(IntArrayRef())), has_value_(list.has_value()) {}
    template <class L>
        requires(!std::is_arithmetic_v<L> && std::is_convertible_v<const L&, IntArrayRef>)
    OptionalIntArrayRef(const L& list)  // NOLINT
        : OptionalIntArrayRef(IntArrayRef(list)) {}
    OptionalIntArrayRef(const std::initializer_list<int64_t>& v)  // NOLINT
        : OptionalIntArrayRef(IntArrayRef(v)) {}
    OptionalIntArrayRef(const int64_t& one) : OptionalIntArrayRef(IntArrayRef(one)) {}  // NOLINT
    OptionalIntArrayRef(const std::optional<int64_t>& one) {                            // NOLINT
        if (one) *this = IntArrayRef(*one);
    }
    ///@}

    /// Returns true if there is a list.
    ///@{
    bool has_value() const { return has_value_; }
    explicit operator bool() const { return has_value_; }
    ///@}
    /// Returns the list, an empty one if there is none.
    ///@{
    const IntArrayRef& operator*() const { return list_; }
    const IntArrayRef* operator->() const { return &list_; }
    ///@}
    /// Returns the list. Throws std::bad_optional_access if there is none.
    const IntArrayRef& value() const {
        if (!has_value_) throw std::bad_optional_access();
        return list_;
    }
    /// Returns the list, or another if there is none.
    IntArrayRef value_or(IntArrayRef other) const { return has_value_ ? list_ : other; }

private:
    IntArrayRef list_;
    bool has_value_ = false;
};

/// Prints a list: [2, 3].
///@{
SINTER_API std::ostream& operator<<(std::ostream& out, IntArrayRef list);
template <class C, class Traits, class T>
std::basic_ostream<C, Traits>& operator<<(std::basic_ostream<C, Traits>& out, ArrayRef<T> list) {
    out << '[';
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (i > 0) out << ", ";
        out << list[i];
    }
    return out << ']';
}
///@}

/// Returns an ArrayRef of a vector. libtorch: c10::makeArrayRef.
template <class T>
ArrayRef<T> makeArrayRef(const std::vector<T>& list) {
    return list;
}

}  // namespace sinter::inline v1
