// A non-owning list of integers, as libtorch's IntArrayRef: sizes, strides, dimensions.
#pragma once

#include <sinter/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <vector>

namespace sinter::inline v1 {

class IntArrayRef {
public:
    using value_type = int64_t;
    using iterator = const int64_t*;

    constexpr IntArrayRef() = default;
    constexpr IntArrayRef(const int64_t* data, std::size_t size) : data_(data), size_(size) {}
    constexpr IntArrayRef(const int64_t& one) : data_(&one), size_(1) {}              // NOLINT
    IntArrayRef(const std::vector<int64_t>& v) : data_(v.data()), size_(v.size()) {}  // NOLINT
    template <std::size_t N>
    constexpr IntArrayRef(const std::array<int64_t, N>& v) : data_(v.data()), size_(N) {}  // NOLINT
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
    constexpr IntArrayRef(
        const std::initializer_list<int64_t>& v)  // NOLINT: lives to the end of the call
        : data_(v.begin() == v.end() ? nullptr : v.begin()), size_(v.size()) {}
#pragma GCC diagnostic pop

    constexpr iterator begin() const { return data_; }
    constexpr iterator end() const { return data_ + size_; }
    constexpr const int64_t* data() const { return data_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr const int64_t& operator[](std::size_t i) const { return data_[i]; }
    constexpr int64_t front() const { return data_[0]; }
    constexpr int64_t back() const { return data_[size_ - 1]; }
    std::vector<int64_t> vec() const { return {begin(), end()}; }
    constexpr bool equals(IntArrayRef o) const {
        if (size_ != o.size_) return false;
        for (std::size_t i = 0; i < size_; ++i)
            if (data_[i] != o.data_[i]) return false;
        return true;
    }
    friend constexpr bool operator==(IntArrayRef a, IntArrayRef b) { return a.equals(b); }

private:
    const int64_t* data_ = nullptr;
    std::size_t size_ = 0;
};

SINTER_API std::ostream& operator<<(std::ostream& out, IntArrayRef list);

}  // namespace sinter::inline v1
