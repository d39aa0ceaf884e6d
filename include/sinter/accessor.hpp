// Accessors: elements by indices, without checks, as in libtorch. The tensor must outlive its
// accessors, and its memory must not be resized.
#pragma once

#include <sinter/tensor.hpp>

#include <array>
#include <limits>
#include <utility>

namespace sinter::inline v1 {

namespace detail {
/// Throws Error unless the tensor has `dims` dimensions and at most `most` elements.
SINTER_API void require_accessor(const tensor_base& t, std::size_t dims, int64_t most = INT64_MAX);
/// Throws IndexError unless 0 <= dim < dims.
SINTER_API void require_accessor_dim(int64_t dim, std::size_t dims);
}  // namespace detail

/// Elements by indices: in `a[i][j]` each index but the last returns an accessor of one dimension
/// less. Points to the tensor's sizes and strides. libtorch: at::TensorAccessor.
template <class T, std::size_t N, template <class> class PtrTraits, class I>
class TensorAccessor {
public:
    /// The pointer that reads elements.
    using PtrType = typename PtrTraits<T>::PtrType;

    /// Elements at `data` with these sizes and strides, of N numbers each.
    TensorAccessor(PtrType data, const I* sizes, const I* strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    /// Returns the element, or the accessor of the other dimensions; the index is not checked.
    decltype(auto) operator[](I i) const {
        const PtrType at = data_ + i * strides_[0];
        if constexpr (N == 1)
            return static_cast<T&>(*at);
        else
            return TensorAccessor<T, N - 1, PtrTraits, I>(at, sizes_ + 1, strides_ + 1);
    }
    /// Returns sizes and strides, in elements; `d` is not checked.
    ///@{
    ArrayRef<I> sizes() const { return {sizes_, N}; }
    ArrayRef<I> strides() const { return {strides_, N}; }
    I size(I d) const { return sizes_[d]; }
    I stride(I d) const { return strides_[d]; }
    ///@}
    /// Returns the address of the first element.
    PtrType data() const { return data_; }

private:
    PtrType data_;
    const I* sizes_;
    const I* strides_;
};

/// A TensorAccessor that owns its sizes and strides, of type I. The accessors that `[]` returns
/// point to them. libtorch: at::GenericPackedTensorAccessor.
template <class T, std::size_t N, template <class> class PtrTraits, class I>
class GenericPackedTensorAccessor {
public:
    /// The pointer that reads elements.
    using PtrType = typename PtrTraits<T>::PtrType;

    /// Elements at `data` with these sizes and strides, of N numbers each, which are copied.
    template <class J>
    GenericPackedTensorAccessor(PtrType data, const J* sizes, const J* strides) : data_(data) {
        for (std::size_t d = 0; d < N; ++d) {
            sizes_[d] = static_cast<I>(sizes[d]);
            strides_[d] = static_cast<I>(strides[d]);
        }
    }
    /// Returns the element, or the accessor of the other dimensions; the index is not checked.
    decltype(auto) operator[](I i) const {
        const PtrType at = data_ + i * strides_[0];
        if constexpr (N == 1)
            return static_cast<T&>(*at);
        else
            return TensorAccessor<T, N - 1, PtrTraits, I>(at, sizes_.data() + 1,
                                                          strides_.data() + 1);
    }
    /// Returns a size or stride, in elements; `d` is not checked.
    ///@{
    I size(I d) const { return sizes_[static_cast<std::size_t>(d)]; }
    I stride(I d) const { return strides_[static_cast<std::size_t>(d)]; }
    ///@}
    /// Returns the address of the first element.
    PtrType data() const { return data_; }
    /// Returns the accessor with two dimensions swapped. Throws IndexError if one does not exist.
    GenericPackedTensorAccessor transpose(I a, I b) const {
        detail::require_accessor_dim(a, N);
        detail::require_accessor_dim(b, N);
        GenericPackedTensorAccessor r(*this);
        std::swap(r.sizes_[static_cast<std::size_t>(a)], r.sizes_[static_cast<std::size_t>(b)]);
        std::swap(r.strides_[static_cast<std::size_t>(a)], r.strides_[static_cast<std::size_t>(b)]);
        return r;
    }

private:
    PtrType data_;
    std::array<I, N> sizes_{}, strides_{};
};

/// libtorch's older name.
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits,
          class I = int64_t>
/// libtorch's other names.
///@{
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, I>;
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
///@}

// tensor.hpp documents these methods.
/// \cond
template <class T, std::size_t N>
TensorAccessor<T, N> tensor_base::accessor() const& {
    static_assert(N > 0, "an accessor has dimensions; item() reads a 0-d tensor");
    detail::require_accessor(*this, N);
    return {data_ptr<T>(), sizes().data(), strides().data()};
}

#define SINTER_PACKED(name, I)                                                         \
    template <class T, std::size_t N, template <class> class PtrTraits>                \
    GenericPackedTensorAccessor<T, N, PtrTraits, I> tensor_base::name() const& {       \
        static_assert(N > 0, "an accessor has dimensions; item() reads a 0-d tensor"); \
        detail::require_accessor(*this, N, std::numeric_limits<I>::max());             \
        return {data_ptr<T>(), sizes().data(), strides().data()};                      \
    }
SINTER_PACKED(packed_accessor64, int64_t)
SINTER_PACKED(packed_accessor32, int32_t)
#undef SINTER_PACKED
/// \endcond

}  // namespace sinter::inline v1
