// Elements by indices, without checks: libtorch's accessors. The tensor must outlive them, and its
// memory must not be resized.
#pragma once

#include <sinter/tensor.hpp>

#include <array>
#include <limits>
#include <utility>

namespace sinter::inline v1 {

namespace detail {
/// Throws Error where the tensor has another number of dimensions, or more elements than `most`.
SINTER_API void require_accessor(const tensor_base& t, std::size_t dims, int64_t most = INT64_MAX);
/// Throws IndexError where it is no dimension of an accessor.
SINTER_API void require_accessor_dim(int64_t dim, std::size_t dims);
}  // namespace detail

/// `a[i][j]`: each index leads to an accessor of one dimension less, the last to the element.
template <class T, std::size_t N, template <class> class PtrTraits, class I>
class TensorAccessor {
public:
    using PtrType = typename PtrTraits<T>::PtrType;

    TensorAccessor(PtrType data, const I* sizes, const I* strides)
        : data_(data), sizes_(sizes), strides_(strides) {}
    decltype(auto) operator[](I i) const {
        const PtrType at = data_ + i * strides_[0];
        if constexpr (N == 1)
            return static_cast<T&>(*at);
        else
            return TensorAccessor<T, N - 1, PtrTraits, I>(at, sizes_ + 1, strides_ + 1);
    }
    ArrayRef<I> sizes() const { return {sizes_, N}; }
    ArrayRef<I> strides() const { return {strides_, N}; }
    I size(I d) const { return sizes_[d]; }
    I stride(I d) const { return strides_[d]; }
    PtrType data() const { return data_; }

private:
    PtrType data_;
    const I* sizes_;
    const I* strides_;
};

/// The same with sizes and strides of its own, of type I. What `[]` of several dimensions gives
/// points to them.
template <class T, std::size_t N, template <class> class PtrTraits, class I>
class GenericPackedTensorAccessor {
public:
    using PtrType = typename PtrTraits<T>::PtrType;

    template <class J>
    GenericPackedTensorAccessor(PtrType data, const J* sizes, const J* strides) : data_(data) {
        for (std::size_t d = 0; d < N; ++d) {
            sizes_[d] = static_cast<I>(sizes[d]);
            strides_[d] = static_cast<I>(strides[d]);
        }
    }
    decltype(auto) operator[](I i) const {
        const PtrType at = data_ + i * strides_[0];
        if constexpr (N == 1)
            return static_cast<T&>(*at);
        else
            return TensorAccessor<T, N - 1, PtrTraits, I>(at, sizes_.data() + 1,
                                                          strides_.data() + 1);
    }
    I size(I d) const { return sizes_[static_cast<std::size_t>(d)]; }
    I stride(I d) const { return strides_[static_cast<std::size_t>(d)]; }
    PtrType data() const { return data_; }
    /// Two dimensions swapped; throws IndexError where one is not there.
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
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, I>;
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;

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

}  // namespace sinter::inline v1
