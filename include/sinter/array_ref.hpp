// A non-owning list, as libtorch's ArrayRef; IntArrayRef is what sizes, strides and dimensions are.
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
/// Throws IndexError: what is cut out or asked for lies outside the list.
[[noreturn]] SINTER_API void outside_list(const char* op, std::size_t at, std::size_t size);
}  // namespace detail

/// Sees elements that another object owns: it must not outlive them. Braces and a single element
/// live to the end of the call that they are an argument of.
template <class T>
class ArrayRef {
public:
    using value_type = T;
    using size_type = std::size_t;
    using iterator = const T*;
    using const_iterator = const T*;
    using reverse_iterator = std::reverse_iterator<iterator>;

    constexpr ArrayRef() = default;
    constexpr ArrayRef(const T* data, std::size_t size) : data_(data), size_(size) {}
    constexpr ArrayRef(const T* begin, const T* end)
        : data_(begin), size_(static_cast<std::size_t>(end - begin)) {}
    constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}              // NOLINT
    ArrayRef(const std::vector<T>& v) : data_(v.data()), size_(v.size()) {}  // NOLINT
    template <std::size_t N>
    constexpr ArrayRef(const std::array<T, N>& v) : data_(v.data()), size_(N) {}  // NOLINT
    template <std::size_t N>
    constexpr ArrayRef(const T (&v)[N]) : data_(v), size_(N) {}  // NOLINT
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
    constexpr ArrayRef(const std::initializer_list<T>& v)  // NOLINT: lives to the end of the call
        : data_(v.begin() == v.end() ? nullptr : v.begin()), size_(v.size()) {}
#pragma GCC diagnostic pop

    constexpr iterator begin() const { return data_; }
    constexpr iterator end() const { return data_ + size_; }
    constexpr reverse_iterator rbegin() const { return reverse_iterator(end()); }
    constexpr reverse_iterator rend() const { return reverse_iterator(begin()); }
    constexpr const T* data() const { return data_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr const T& operator[](std::size_t i) const { return data_[i]; }
    /// As `[]`, but throws IndexError outside the list; so do front and back of an empty one.
    constexpr const T& at(std::size_t i) const {
        if (i >= size_) detail::outside_list("at", i, size_);
        return data_[i];
    }
    constexpr const T& front() const {
        if (size_ == 0) detail::outside_list("front", 0, 0);
        return data_[0];
    }
    constexpr const T& back() const {
        if (size_ == 0) detail::outside_list("back", 0, 0);
        return data_[size_ - 1];
    }
    std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
    constexpr bool equals(ArrayRef o) const {
        if (size_ != o.size_) return false;
        for (std::size_t i = 0; i < size_; ++i)
            if (!(data_[i] == o.data_[i])) return false;
        return true;
    }
    template <class F>
    constexpr bool allMatch(const F& holds) const {
        for (const T& value : *this)
            if (!holds(value)) return false;
        return true;
    }
    /// `count` elements from `start`; throws IndexError where there are fewer.
    constexpr ArrayRef slice(std::size_t start, std::size_t count) const {
        if (start > size_ || count > size_ - start)
            detail::outside_list("slice", start + count, size_);
        return {data_ + start, count};
    }
    constexpr ArrayRef slice(std::size_t start) const {
        if (start > size_) detail::outside_list("slice", start, size_);
        return {data_ + start, size_ - start};
    }
    friend constexpr bool operator==(ArrayRef a, ArrayRef b) { return a.equals(b); }

private:
    const T* data_ = nullptr;
    std::size_t size_ = 0;
};

using IntArrayRef = ArrayRef<int64_t>;

/// A list of integers or none, from whatever an IntArrayRef is made of. Points to elements as it
/// does.
class OptionalIntArrayRef {
public:
    OptionalIntArrayRef() = default;
    OptionalIntArrayRef(std::nullopt_t) {}                                    // NOLINT
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

    bool has_value() const { return has_value_; }
    explicit operator bool() const { return has_value_; }
    const IntArrayRef& operator*() const { return list_; }
    const IntArrayRef* operator->() const { return &list_; }
    /// Throws std::bad_optional_access where there is none.
    const IntArrayRef& value() const {
        if (!has_value_) throw std::bad_optional_access();
        return list_;
    }
    IntArrayRef value_or(IntArrayRef other) const { return has_value_ ? list_ : other; }

private:
    IntArrayRef list_;
    bool has_value_ = false;
};

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

template <class T>
ArrayRef<T> makeArrayRef(const std::vector<T>& list) {
    return list;
}

}  // namespace sinter::inline v1
