// A non-owning list of tensors, as libtorch's TensorList: what `cat` and its kin take.
#pragma once

#include <sinter/tensor.hpp>

#include <array>
#include <vector>

namespace sinter::inline v1 {

/// Points to tensors that live elsewhere, to the end of the call at least. From one tensor, braces
/// (expressions in them become tensors), a std::vector or a std::array.
class TensorList {
public:
    using value_type = Tensor;
    using iterator = const Tensor*;

    constexpr TensorList() = default;
    constexpr TensorList(const Tensor* data, std::size_t size) : data_(data), size_(size) {}
    constexpr TensorList(const Tensor& one) : data_(&one), size_(1) {}              // NOLINT
    TensorList(const std::vector<Tensor>& v) : data_(v.data()), size_(v.size()) {}  // NOLINT
    template <std::size_t N>
    constexpr TensorList(const std::array<Tensor, N>& v) : data_(v.data()), size_(N) {}  // NOLINT
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
    constexpr TensorList(
        const std::initializer_list<Tensor>& v)  // NOLINT: lives to the end of the call
        : data_(v.begin() == v.end() ? nullptr : v.begin()), size_(v.size()) {}
#pragma GCC diagnostic pop

    constexpr iterator begin() const { return data_; }
    constexpr iterator end() const { return data_ + size_; }
    constexpr const Tensor* data() const { return data_; }
    constexpr std::size_t size() const { return size_; }
    constexpr bool empty() const { return size_ == 0; }
    constexpr const Tensor& operator[](std::size_t i) const { return data_[i]; }
    constexpr const Tensor& front() const { return data_[0]; }
    constexpr const Tensor& back() const { return data_[size_ - 1]; }
    std::vector<Tensor> vec() const { return {begin(), end()}; }

private:
    const Tensor* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace sinter::inline v1
