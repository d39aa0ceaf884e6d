// Elements by indices, without checks: libtorch's accessors. The tensor must outlive them, and its
// memory must not be resized.
#pragma once

#include <sinter/tensor.hpp>

#include <array>

namespace sinter::inline v1 {

namespace detail {
/// Throws Error where the tensor has another number of dimensions.
SINTER_API void require_accessor(const tensor_base& t, std::size_t dims);
}  // namespace detail

/// `a[i][j]`: each index leads to an accessor of one dimension less, the last to the element.
template <class T, std::size_t N>
class TensorAccessor {
public:
    TensorAccessor(T* data, const int64_t* sizes, const int64_t* strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    decltype(auto) operator[](int64_t i) const {
        T* const at = data_ + i * strides_[0];
        if constexpr (N == 1)
            return static_cast<T&>(*at);
        else
            return TensorAccessor<T, N - 1>(at, sizes_ + 1, strides_ + 1);
    }
    IntArrayRef sizes() const { return {sizes_, N}; }
    IntArrayRef strides() const { return {strides_, N}; }
    int64_t size(int64_t d) const { return sizes_[d]; }
    int64_t stride(int64_t d) const { return strides_[d]; }
    T* data() const { return data_; }

private:
    T* data_;
    const int64_t* sizes_;
    const int64_t* strides_;
};

/// The same with sizes and strides of its own, of type I.
template <class T, std::size_t N, class I = int64_t>
class PackedTensorAccessor {
public:
    PackedTensorAccessor(T* data, const int64_t* sizes, const int64_t* strides) : data_(data) {
        for (std::size_t d = 0; d < N; ++d) {
            sizes_[d] = static_cast<I>(sizes[d]);
            strides_[d] = static_cast<I>(strides[d]);
        }
    }
    decltype(auto) operator[](I i) const {
        T* const at = data_ + i * strides_[0];
        if constexpr (N == 1) {
            return static_cast<T&>(*at);
        } else {
            PackedTensorAccessor<T, N - 1, I> rest(at);
            for (std::size_t d = 1; d < N; ++d) {
                rest.sizes_[d - 1] = sizes_[d];
                rest.strides_[d - 1] = strides_[d];
            }
            return rest;
        }
    }
    I size(I d) const { return sizes_[static_cast<std::size_t>(d)]; }
    I stride(I d) const { return strides_[static_cast<std::size_t>(d)]; }
    T* data() const { return data_; }

private:
    template <class, std::size_t, class>
    friend class PackedTensorAccessor;
    explicit PackedTensorAccessor(T* data) : data_(data) {}
    T* data_;
    std::array<I, N> sizes_{}, strides_{};
};

template <class T, std::size_t N>
using PackedTensorAccessor64 = PackedTensorAccessor<T, N, int64_t>;
template <class T, std::size_t N>
using PackedTensorAccessor32 = PackedTensorAccessor<T, N, int32_t>;

template <class T, std::size_t N>
TensorAccessor<T, N> tensor_base::accessor() const& {
    static_assert(N > 0, "an accessor has dimensions; item() reads a 0-d tensor");
    detail::require_accessor(*this, N);
    return {data_ptr<T>(), sizes().data(), strides().data()};
}

template <class T, std::size_t N>
PackedTensorAccessor<T, N, int64_t> tensor_base::packed_accessor64() const& {
    static_assert(N > 0, "an accessor has dimensions; item() reads a 0-d tensor");
    detail::require_accessor(*this, N);
    return {data_ptr<T>(), sizes().data(), strides().data()};
}

template <class T, std::size_t N>
PackedTensorAccessor<T, N, int32_t> tensor_base::packed_accessor32() const& {
    static_assert(N > 0, "an accessor has dimensions; item() reads a 0-d tensor");
    detail::require_accessor(*this, N);
    return {data_ptr<T>(), sizes().data(), strides().data()};
}

}  // namespace sinter::inline v1
