// Free functions: creation, and the function forms of reductions, views and products.
//
// Everything created is pending (lazy, fusible) except `tensor`, `empty` and `from_blob`.
#pragma once

#include <sinter/random.hpp>
#include <sinter/shape.hpp>
#include <sinter/tensor.hpp>

#include <vector>

namespace sinter::inline v1 {

namespace detail {
/// The element type that holds a number of any type.
template <class T>
struct element_for {
    using type = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;
};
template <class T>
    requires requires { scalar_type_of<T>::value; }
struct element_for<T> {
    using type = T;
};
template <standard_complex T>
struct element_for<T> {
    using type = complex<typename T::value_type>;
};
template <class T>
ScalarType dtype_of_number(const T& number) {
    if constexpr (std::is_same_v<T, Scalar>)
        return number.type();
    else
        return scalar_type_v<typename element_for<T>::type>;
}
/// A list of numbers as `tensor` makes it: of floats and doubles the default dtype, of ints Long,
/// of others their own.
SINTER_API Tensor from_numbers(const Tensor& values, const TensorOptions& options);
}  // namespace detail

/// Nested braces of numbers: `tensor({{1, 2}, {3, 4}})`. Holds one number or a list.
class SINTER_API number_list {
public:
    template <scalar_like T>
    number_list(T value) : value_(value), dtype_(detail::dtype_of_number(value)) {}  // NOLINT
    number_list(std::initializer_list<number_list> list);                            // NOLINT
    number_list(const number_list& o);
    number_list& operator=(const number_list&) = delete;
    ~number_list();

    bool is_list() const { return is_list_; }
    const Scalar& value() const { return value_; }
    /// Of the number, before it became a Scalar.
    ScalarType dtype() const { return dtype_; }
    std::size_t size() const { return size_; }
    const number_list& operator[](std::size_t i) const;

private:
    Scalar value_;
    ScalarType dtype_ = ScalarType::Undefined;
    number_list* items_ = nullptr;
    std::size_t size_ = 0;
    bool is_list_ = false;
};

// ---- creation. dtype defaults to the default dtype, of integers to Long, of bools to Bool; of
// `tensor` to the numbers' own where they are of narrower types than int and float, or complex.
SINTER_API Tensor tensor(const number_list& values, const TensorOptions& options = {});
SINTER_API Tensor tensor(std::initializer_list<number_list> values,
                         const TensorOptions& options = {});
template <scalar_like T>
Tensor tensor(const std::vector<T>& values, const TensorOptions& options = {});
/// Of the default dtype, whatever the number is.
SINTER_API Tensor scalar_tensor(const Scalar& value, const TensorOptions& options = {});
/// Of the number's own kind: Long, Double, Bool or ComplexDouble.
SINTER_API Tensor scalar_to_tensor(const Scalar& value, Device device = kCPU);
SINTER_API Tensor empty(IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor zeros(IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor ones(IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options = {});
SINTER_API Tensor arange(const Scalar& end, const TensorOptions& options = {});
SINTER_API Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options = {});
SINTER_API Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
                         const TensorOptions& options = {});
SINTER_API Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                           const TensorOptions& options = {});
/// Ends in 0-d tensors are read at the call.
SINTER_API Tensor linspace(const tensor_base& start, const tensor_base& end, int64_t steps,
                           const TensorOptions& options = {});
SINTER_API Tensor linspace(const tensor_base& start, const Scalar& end, int64_t steps,
                           const TensorOptions& options = {});
SINTER_API Tensor linspace(const Scalar& start, const tensor_base& end, int64_t steps,
                           const TensorOptions& options = {});
SINTER_API Tensor eye(int64_t n, const TensorOptions& options = {});
SINTER_API Tensor eye(int64_t n, int64_t m, const TensorOptions& options = {});
SINTER_API Tensor empty_like(const tensor_base& t, const TensorOptions& options = {});
SINTER_API Tensor zeros_like(const tensor_base& t, const TensorOptions& options = {});
SINTER_API Tensor ones_like(const tensor_base& t, const TensorOptions& options = {});
SINTER_API Tensor full_like(const tensor_base& t, const Scalar& value,
                            const TensorOptions& options = {});

/// Memory of the caller's, which must outlive every view; the deleter runs when the last view dies.
/// What the deleter throws becomes a warning, since nobody could catch it there.
/// Mutable memory is external: operations on it happen at their line. It is the CPU's unless the
/// options name a device; of a GPU it is to be ready on the current stream, and the deleter runs
/// when the GPU has ended what uses it.
SINTER_API Tensor from_blob(void* data, IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides,
                            const TensorOptions& options = {});
template <class F>
    requires requires(F& deleter, void* data) { deleter(data); }
Tensor from_blob(void* data, IntArrayRef sizes, F deleter, const TensorOptions& options = {});
template <class F>
    requires requires(F& deleter, void* data) { deleter(data); }
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, F deleter,
                 const TensorOptions& options = {});
/// The caller promises that the bytes neither change nor die while unread results exist. Reads are
/// lazy; writing throws.
SINTER_API Tensor from_blob(const void* data, IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor from_blob(const void* data, IntArrayRef sizes, IntArrayRef strides,
                            const TensorOptions& options = {});
/// Of no elements.
inline Tensor from_blob(std::nullptr_t, IntArrayRef sizes, const TensorOptions& options = {}) {
    return from_blob(static_cast<void*>(nullptr), sizes, options);
}

// ---- dtypes
/// The dtype that an operation on both would have: PyTorch's promotion, dimensioned tensors before
/// 0-d ones before numbers.
SINTER_API ScalarType result_type(const tensor_base& a, const tensor_base& b);
SINTER_API ScalarType result_type(const tensor_base& a, const Scalar& b);
SINTER_API ScalarType result_type(const Scalar& a, const tensor_base& b);
SINTER_API ScalarType result_type(const Scalar& a, const Scalar& b);
inline bool is_floating_point(const tensor_base& t) { return t.is_floating_point(); }
inline bool is_complex(const tensor_base& t) { return t.is_complex(); }
inline bool is_signed(const tensor_base& t) { return t.is_signed(); }

// ---- function forms
SINTER_API Tensor pow(const tensor_base& t, const Scalar& exponent);
SINTER_API Tensor pow(const tensor_base& t, const tensor_base& exponent);
SINTER_API Tensor pow(const Scalar& base, const tensor_base& exponent);
SINTER_API Tensor clamp(const tensor_base& t, const optional<Scalar>& min,
                        const optional<Scalar>& max = nullopt);
SINTER_API Tensor clip(const tensor_base& t, const optional<Scalar>& min,
                       const optional<Scalar>& max = nullopt);
inline Tensor max(const tensor_base& t) { return t.max(); }
inline Tensor min(const tensor_base& t) { return t.min(); }
inline std::tuple<Tensor, Tensor> max(const tensor_base& t, int64_t dim, bool keepdim = false) {
    return t.max(dim, keepdim);
}
inline std::tuple<Tensor, Tensor> min(const tensor_base& t, int64_t dim, bool keepdim = false) {
    return t.min(dim, keepdim);
}
inline Tensor sum(const tensor_base& t, optional<ScalarType> dtype = nullopt) {
    return t.sum(dtype);
}
inline Tensor sum(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false,
                  optional<ScalarType> dtype = nullopt) {
    return t.sum(dim, keepdim, dtype);
}
inline Tensor mean(const tensor_base& t, optional<ScalarType> dtype = nullopt) {
    return t.mean(dtype);
}
inline Tensor mean(const tensor_base& t, OptionalIntArrayRef dim, bool keepdim = false,
                   optional<ScalarType> dtype = nullopt) {
    return t.mean(dim, keepdim, dtype);
}
inline Tensor prod(const tensor_base& t, optional<ScalarType> dtype = nullopt) {
    return t.prod(dtype);
}
inline Tensor prod(const tensor_base& t, int64_t dim, bool keepdim = false,
                   optional<ScalarType> dtype = nullopt) {
    return t.prod(dim, keepdim, dtype);
}
inline Tensor amax(const tensor_base& t, IntArrayRef dim = {}, bool keepdim = false) {
    return t.amax(dim, keepdim);
}
inline Tensor amin(const tensor_base& t, IntArrayRef dim = {}, bool keepdim = false) {
    return t.amin(dim, keepdim);
}
inline Tensor argmax(const tensor_base& t, optional<int64_t> dim = nullopt, bool keepdim = false) {
    return t.argmax(dim, keepdim);
}
inline Tensor argmin(const tensor_base& t, optional<int64_t> dim = nullopt, bool keepdim = false) {
    return t.argmin(dim, keepdim);
}
inline Tensor any(const tensor_base& t) { return t.any(); }
inline Tensor any(const tensor_base& t, int64_t dim, bool keepdim = false) {
    return t.any(dim, keepdim);
}
inline Tensor all(const tensor_base& t) { return t.all(); }
inline Tensor all(const tensor_base& t, int64_t dim, bool keepdim = false) {
    return t.all(dim, keepdim);
}
inline Tensor var(const tensor_base& t, bool unbiased = true) { return t.var(unbiased); }
inline Tensor var(const tensor_base& t, int dim) { return t.var(dim); }
inline Tensor var(const tensor_base& t, IntArrayRef dim, bool unbiased, bool keepdim = false) {
    return t.var(dim, unbiased, keepdim);
}
inline Tensor std(const tensor_base& t, bool unbiased = true) { return t.std(unbiased); }
inline Tensor std(const tensor_base& t, int dim) { return t.std(dim); }
inline Tensor std(const tensor_base& t, IntArrayRef dim, bool unbiased, bool keepdim = false) {
    return t.std(dim, unbiased, keepdim);
}
inline Tensor reshape(const tensor_base& t, IntArrayRef sizes) { return t.reshape(sizes); }
inline Tensor flatten(const tensor_base& t, int64_t start = 0, int64_t end = -1) {
    return t.flatten(start, end);
}
inline Tensor transpose(const tensor_base& t, int64_t a, int64_t b) { return t.transpose(a, b); }
inline Tensor t(const tensor_base& x) { return x.t(); }
inline Tensor permute(const tensor_base& t, IntArrayRef dims) { return t.permute(dims); }
inline Tensor squeeze(const tensor_base& t) { return t.squeeze(); }
inline Tensor squeeze(const tensor_base& t, int64_t dim) { return t.squeeze(dim); }
inline Tensor squeeze(const tensor_base& t, IntArrayRef dims) { return t.squeeze(dims); }
inline Tensor unsqueeze(const tensor_base& t, int64_t dim) { return t.unsqueeze(dim); }
inline Tensor diagonal(const tensor_base& t, int64_t offset = 0, int64_t d0 = 0, int64_t d1 = 1) {
    return t.diagonal(offset, d0, d1);
}
inline Tensor flip(const tensor_base& t, IntArrayRef dims) { return t.flip(dims); }
inline Tensor roll(const tensor_base& t, IntArrayRef shifts, IntArrayRef dims = {}) {
    return t.roll(shifts, dims);
}
inline Tensor rot90(const tensor_base& t, int64_t k = 1, IntArrayRef dims = {0, 1}) {
    return t.rot90(k, dims);
}
inline Tensor clone(const tensor_base& t, optional<MemoryFormat> format = nullopt) {
    return t.clone(format);
}
inline int64_t size(const tensor_base& t, int64_t dim) { return t.size(dim); }
inline int64_t stride(const tensor_base& t, int64_t dim) { return t.stride(dim); }
inline bool is_nonzero(const tensor_base& t) { return t.is_nonzero(); }
inline bool is_same_size(const tensor_base& a, const tensor_base& b) { return a.is_same_size(b); }

/// Whether shapes are equal and all elements are. Reads both.
SINTER_API bool equal(const tensor_base& a, const tensor_base& b);
/// |a - b| <= atol + rtol * |b| everywhere. Reads both.
SINTER_API bool allclose(const tensor_base& a, const tensor_base& b, double rtol = 1e-5,
                         double atol = 1e-8, bool equal_nan = false);

// ---- NumPy files, version 1.0 and 2.0; C and Fortran order are read, C order is written.
// NumPy's unsigned types that have no dtype here become the next wider signed one: u2 Int, u4 Long,
// and u8 Long, which throws ValueError where an element is above 2^63 - 1.
SINTER_API Tensor load_npy(const std::string& path);
SINTER_API void save_npy(const tensor_base& t, const std::string& path);

namespace detail {
/// A deleter of any type: <functional> would cost every user more than the rest of this header.
struct blob_deleter {
    void* object;
    void (*call)(void* object, void* data);
    void (*destroy)(void* object);

    template <class F>
        requires(!std::is_same_v<std::remove_cvref_t<F>, blob_deleter>)
    explicit blob_deleter(F&& f)
        : object(new F(static_cast<F&&>(f))),
          call([](void* o, void* data) { (*static_cast<F*>(o))(data); }),
          destroy([](void* o) { delete static_cast<F*>(o); }) {}
};
/// Takes the deleter over. No strides: dense.
SINTER_API Tensor from_blob(void* data, IntArrayRef sizes, optional<IntArrayRef> strides,
                            blob_deleter deleter, const TensorOptions& options);
}  // namespace detail

template <class F>
    requires requires(F& deleter, void* data) { deleter(data); }
Tensor from_blob(void* data, IntArrayRef sizes, F deleter, const TensorOptions& options) {
    return detail::from_blob(data, sizes, nullopt, detail::blob_deleter(static_cast<F&&>(deleter)),
                             options);
}
template <class F>
    requires requires(F& deleter, void* data) { deleter(data); }
Tensor from_blob(void* data, IntArrayRef sizes, IntArrayRef strides, F deleter,
                 const TensorOptions& options) {
    return detail::from_blob(data, sizes, strides, detail::blob_deleter(static_cast<F&&>(deleter)),
                             options);
}

template <scalar_like T>
Tensor tensor(const std::vector<T>& values, const TensorOptions& options) {
    using E = typename detail::element_for<T>::type;
    const Tensor r =
        empty({static_cast<int64_t>(values.size())}, TensorOptions(scalar_type_v<E>).device(kCPU));
    auto* to = static_cast<E*>(const_cast<void*>(r.const_data_ptr()));
    for (std::size_t i = 0; i < values.size(); ++i) to[i] = static_cast<E>(values[i]);
    return detail::from_numbers(r, options);
}
template <scalar_like T>
Tensor tensor(ArrayRef<T> values, const TensorOptions& options = {}) {
    return tensor(values.vec(), options);
}

}  // namespace sinter::inline v1
