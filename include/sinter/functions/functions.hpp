// Creation, and reductions, views and copies as functions.
//
// Everything created is pending (fused), except by `tensor`, `empty`, `empty_like` and `from_blob`.
#pragma once

#include <sinter/functions/random.hpp>
#include <sinter/functions/shape.hpp>
#include <sinter/tensor.hpp>

#include <vector>

namespace sinter::inline v1 {

namespace detail {
/// The element type of a number: its own, else double or int64_t.
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
    /// Holds one number, a list of lists or numbers, or a copy.
    ///@{
    template <scalar_like T>
    number_list(T value) : value_(value), dtype_(detail::dtype_of_number(value)) {}  // NOLINT
    number_list(std::initializer_list<number_list> list);                            // NOLINT
    number_list(const number_list& o);
    ///@}
    number_list& operator=(const number_list&) = delete;
    ~number_list();

    /// Returns true if it is a list, also an empty one.
    bool is_list() const { return is_list_; }
    /// Returns the number; of a list, a Scalar without meaning.
    const Scalar& value() const { return value_; }
    /// Returns the dtype of the number, before it became a Scalar.
    ScalarType dtype() const { return dtype_; }
    /// Returns the number of items of a list, or item `i`, which is not checked.
    ///@{
    std::size_t size() const { return size_; }
    const number_list& operator[](std::size_t i) const;
    ///@}

private:
    Scalar value_;
    ScalarType dtype_ = ScalarType::Undefined;
    number_list* items_ = nullptr;
    std::size_t size_ = 0;
    bool is_list_ = false;
};

// ---- creation
/// Returns a tensor with the sizes of the braces, at most 10 deep, or a vector. Floats and doubles
/// become the default dtype, ints Long; other types keep their dtype. Throws Error if lists differ
/// in length, numbers in kind, or a vector is complex and the dtype real; ValueError for deeper
/// braces and for a number in braces that the dtype does not hold.
///@{
SINTER_API Tensor tensor(const number_list& values, const TensorOptions& options = {});
SINTER_API Tensor tensor(std::initializer_list<number_list> values,
                         const TensorOptions& options = {});
template <scalar_like T>
Tensor tensor(const std::vector<T>& values, const TensorOptions& options = {});
///@}
/// Returns a 0-d tensor of the default dtype, whatever the kind of the number (complex: its complex
/// type). Throws ValueError if the dtype does not hold the number.
SINTER_API Tensor scalar_tensor(const Scalar& value, const TensorOptions& options = {});
/// Returns a 0-d tensor of the number's kind: Long, Double, Bool or ComplexDouble. Throws Error if
/// the device does not exist.
SINTER_API Tensor scalar_to_tensor(const Scalar& value, Device device = kCPU);
/// Returns a contiguous tensor of these sizes whose elements are undefined. Throws Error for a
/// negative size.
SINTER_API Tensor empty(IntArrayRef sizes, const TensorOptions& options = {});
/// Returns a contiguous tensor of these sizes that holds 0, 1 or `value`. `full` takes its default
/// dtype from the number: Long, Bool, or the default dtype and its complex type. Throws Error for a
/// negative size, and ValueError if the dtype does not hold the number.
///@{
SINTER_API Tensor zeros(IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor ones(IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor full(IntArrayRef sizes, const Scalar& value, const TensorOptions& options = {});
///@}
/// Returns start, start + step, ... before `end`, as a vector of ceil((end - start) / step)
/// elements: Long if all numbers are integers, else of the default dtype. Throws Error if the step
/// is 0 or leads away from the end, or if a bound is not finite; NotImplementedError for a complex
/// dtype.
///@{
SINTER_API Tensor arange(const Scalar& end, const TensorOptions& options = {});
SINTER_API Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& options = {});
SINTER_API Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
                         const TensorOptions& options = {});
///@}
/// Returns `steps` evenly spaced values from `start` to `end`, both included and exact, as a
/// vector. The default dtype is floating, or complex if an end is. Throws Error if `steps` is
/// negative or an end is complex and the dtype real, and ValueError if the dtype does not hold an
/// end.
///@{
SINTER_API Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                           const TensorOptions& options = {});
///@}
/// linspace() with ends in 0-d tensors, which are read at the call. Throws Error for an end that
/// has dimensions.
///@{
SINTER_API Tensor linspace(const tensor_base& start, const tensor_base& end, int64_t steps,
                           const TensorOptions& options = {});
SINTER_API Tensor linspace(const tensor_base& start, const Scalar& end, int64_t steps,
                           const TensorOptions& options = {});
SINTER_API Tensor linspace(const Scalar& start, const tensor_base& end, int64_t steps,
                           const TensorOptions& options = {});
///@}
/// Returns the matrix (n, m) with ones on its diagonal, and zeros elsewhere; m is n by default.
/// Throws Error for a negative size.
///@{
SINTER_API Tensor eye(int64_t n, const TensorOptions& options = {});
SINTER_API Tensor eye(int64_t n, int64_t m, const TensorOptions& options = {});
///@}
/// Returns an undefined tensor with the sizes, the order of dimensions in memory and, unless the
/// options name others, the dtype and device of `t`. Takes any tensor.
///@{
SINTER_API Tensor empty_like(const tensor_base& t, const TensorOptions& options = {});
///@}
/// Returns 0, 1 or `value` in a tensor with the sizes, the order of dimensions in memory and,
/// unless the options name others, the dtype and device of `t`. `full_like` throws ValueError if
/// the dtype does not hold the number.
///@{
SINTER_API Tensor zeros_like(const tensor_base& t, const TensorOptions& options = {});
SINTER_API Tensor ones_like(const tensor_base& t, const TensorOptions& options = {});
SINTER_API Tensor full_like(const tensor_base& t, const Scalar& value,
                            const TensorOptions& options = {});
///@}

/// Returns a tensor of these sizes over the caller's memory, dense unless strides (in elements) are
/// given. The memory must outlive every view; the deleter runs when the last view dies, and a GPU
/// has finished with the memory. An exception of the deleter becomes a warning.
///
/// Mutable memory is external (docs/laziness.md): operations on it run at once. It is in main
/// memory unless the options name a device; memory of a GPU must be ready on the current stream.
/// Throws Error if a stride is negative or there is not one for each size; ValueError if the
/// pointer is null and there are elements.
///@{
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
///@}
/// Returns a read-only tensor of these sizes over memory that, as the caller promises, neither
/// changes nor dies while unread results exist. Reads are lazy; writing throws Error. Throws Error
/// if a stride is negative or there is not one for each size; ValueError if the pointer is null and
/// there are elements.
///@{
SINTER_API Tensor from_blob(const void* data, IntArrayRef sizes, const TensorOptions& options = {});
SINTER_API Tensor from_blob(const void* data, IntArrayRef sizes, IntArrayRef strides,
                            const TensorOptions& options = {});
///@}
/// Returns a tensor of these sizes without elements; throws ValueError if the sizes have any.
inline Tensor from_blob(std::nullptr_t, IntArrayRef sizes, const TensorOptions& options = {}) {
    return from_blob(static_cast<void*>(nullptr), sizes, options);
}

// ---- dtypes
/// Returns the dtype of an operation on both by PyTorch's promotion: tensors with dimensions rank
/// before 0-d tensors, and these before numbers. PyTorch: torch.result_type.
///@{
SINTER_API ScalarType result_type(const tensor_base& a, const tensor_base& b);
SINTER_API ScalarType result_type(const tensor_base& a, const Scalar& b);
SINTER_API ScalarType result_type(const Scalar& a, const tensor_base& b);
SINTER_API ScalarType result_type(const Scalar& a, const Scalar& b);
///@}
/// Returns true if the dtype is floating, complex or signed. PyTorch: torch.is_floating_point,
/// torch.is_complex, torch.is_signed.
///@{
inline bool is_floating_point(const tensor_base& t) { return t.is_floating_point(); }
inline bool is_complex(const tensor_base& t) { return t.is_complex(); }
inline bool is_signed(const tensor_base& t) { return t.is_signed(); }
///@}

// ---- function forms
/// Returns the power of each pair of elements, whose sizes broadcast, of the promoted dtype; the
/// exponents -2, -1, -0.5, 0, 0.5, 1, 2 and 3 become cheaper operations. Throws Error for a
/// negative number as exponent of integers and if the sizes do not broadcast, ValueError for a
/// number that an integer or 16-bit floating dtype does not hold, and NotImplementedError for Bool
/// tensors.
///@{
SINTER_API Tensor pow(const tensor_base& t, const Scalar& exponent);
SINTER_API Tensor pow(const tensor_base& t, const tensor_base& exponent);
SINTER_API Tensor pow(const Scalar& base, const tensor_base& exponent);
///@}
/// Returns each element within [min, max], max if min > max, element by element; NaN stays NaN.
/// Bounds count in the promotion of the dtype. Throws Error without any bound, and for a bound
/// beyond which an integer dtype has no values; ValueError if a floating dtype does not hold a
/// bound; NotImplementedError for complex numbers.
///@{
SINTER_API Tensor clamp(const tensor_base& t, const optional<Scalar>& min,
                        const optional<Scalar>& max = nullopt);
SINTER_API Tensor clip(const tensor_base& t, const optional<Scalar>& min,
                       const optional<Scalar>& max = nullopt);
///@}
/// Returns the largest or smallest element, 0-d; NaN wins. Throws Error for no elements, and
/// NotImplementedError for complex numbers.
///@{
inline Tensor max(const tensor_base& t) { return t.max(); }
inline Tensor min(const tensor_base& t) { return t.min(); }
///@}
/// Returns the largest or smallest elements along `dim`, and the indices (Long) of the first of
/// them, both without that dimension, or with size 1 in its place if `keepdim`. NaN wins. Throws
/// IndexError if the dimension has no elements, and NotImplementedError for complex numbers.
///@{
inline std::tuple<Tensor, Tensor> max(const tensor_base& t, int64_t dim, bool keepdim = false) {
    return t.max(dim, keepdim);
}
inline std::tuple<Tensor, Tensor> min(const tensor_base& t, int64_t dim, bool keepdim = false) {
    return t.min(dim, keepdim);
}
///@}
/// Returns the sum, mean or product over `dim`, or over all elements (0-d), converted to `dtype`
/// first if one is given. The result lacks these dimensions, or has size 1 in their places if
/// `keepdim`. Sums and products of integers and Bool are Long. Throws IndexError if there is no
/// such dimension and Error if one is named twice; `mean` throws NotImplementedError for integers
/// and Bool.
///@{
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
///@}
// Returns the reduction of this name over `dim`, or over all elements: op/reduce.def has its
// documentation.
#define SINTER_FOLD(name)                                                                  \
    inline Tensor name(const tensor_base& t, IntArrayRef dim = {}, bool keepdim = false) { \
        return t.name(dim, keepdim);                                                       \
    }
#include <sinter/expr/each_fold.inc>
#undef SINTER_FOLD
/// Returns the index (Long) of the first largest or smallest element along `dim`, without that
/// dimension or with size 1 in its place if `keepdim`; without `dim`, its index in the flattened
/// tensor, 0-d. NaN wins. Throws IndexError if there are no elements, and NotImplementedError for
/// complex numbers.
///@{
inline Tensor argmax(const tensor_base& t, optional<int64_t> dim = nullopt, bool keepdim = false) {
    return t.argmax(dim, keepdim);
}
inline Tensor argmin(const tensor_base& t, optional<int64_t> dim = nullopt, bool keepdim = false) {
    return t.argmin(dim, keepdim);
}
///@}
/// Returns true (Bool; Byte for Byte) where any or all elements are nonzero, along `dim`, without
/// that dimension or with size 1 in its place if `keepdim`, or in the whole tensor, 0-d. Throws
/// IndexError if there is no such dimension.
///@{
inline Tensor any(const tensor_base& t) { return t.any(); }
inline Tensor any(const tensor_base& t, int64_t dim, bool keepdim = false) {
    return t.any(dim, keepdim);
}
inline Tensor all(const tensor_base& t) { return t.all(); }
inline Tensor all(const tensor_base& t, int64_t dim, bool keepdim = false) {
    return t.all(dim, keepdim);
}
///@}
/// Returns the variance or standard deviation over `dim`, or over all elements (0-d); `unbiased`
/// divides by n - 1, else by n. The result lacks these dimensions, or has size 1 in their places if
/// `keepdim`, and is NaN for no elements. An int is a dimension, a bool is `unbiased`. Throws
/// NotImplementedError for integers and Bool.
///@{
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
///@}
/// Returns a view with other sizes, one of which may be -1 (what is left), or with dimensions
/// `start` to `end` made one; a pending copy where strides allow no view. Throws Error if the
/// number of elements differs, and if `start` comes after `end`.
///@{
inline Tensor reshape(const tensor_base& t, IntArrayRef sizes) { return t.reshape(sizes); }
inline Tensor flatten(const tensor_base& t, int64_t start = 0, int64_t end = -1) {
    return t.flatten(start, end);
}
///@}
/// Returns a view: the method of this name.
///@{
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
///@}
/// Returns a copy with elements in other places: the method of this name.
///@{
inline Tensor flip(const tensor_base& t, IntArrayRef dims) { return t.flip(dims); }
inline Tensor roll(const tensor_base& t, IntArrayRef shifts, IntArrayRef dims = {}) {
    return t.roll(shifts, dims);
}
inline Tensor rot90(const tensor_base& t, int64_t k = 1, IntArrayRef dims = {0, 1}) {
    return t.rot90(k, dims);
}
///@}
/// Returns a copy over storage of its own, in the given format: the method of this name.
inline Tensor clone(const tensor_base& t, optional<MemoryFormat> format = nullopt) {
    return t.clone(format);
}
/// Returns the size, or the stride in elements, of a dimension; negative ones count from the end.
/// Throws IndexError if there is no such dimension. PyTorch: torch.Tensor.size,
/// torch.Tensor.stride.
///@{
inline int64_t size(const tensor_base& t, int64_t dim) { return t.size(dim); }
inline int64_t stride(const tensor_base& t, int64_t dim) { return t.stride(dim); }
///@}
/// Returns true if the only element is not 0. Reads it. Throws Error unless there is one element.
/// PyTorch: torch.is_nonzero.
inline bool is_nonzero(const tensor_base& t) { return t.is_nonzero(); }
/// Returns true if the sizes are equal. PyTorch: torch.is_same_size.
inline bool is_same_size(const tensor_base& a, const tensor_base& b) { return a.is_same_size(b); }

/// Returns true if the sizes and all elements are equal. Takes any tensors.
SINTER_API bool equal(const tensor_base& a, const tensor_base& b);
/// Returns true if |a - b| <= atol + rtol * |b| everywhere, where NaN equals NaN if `equal_nan`;
/// sizes broadcast. Throws Error if dtypes differ, the sizes do not broadcast or a tolerance is
/// negative.
SINTER_API bool allclose(const tensor_base& a, const tensor_base& b, double rtol = 1e-5,
                         double atol = 1e-8, bool equal_nan = false);

// ---- NumPy files
/// Returns the array of a .npy file (version 1.0 or 2.0, C or Fortran order), on the CPU. Runs at
/// once. NumPy's u2 becomes Int, u4 and u8 Long. Throws Error if the file cannot be read;
/// ValueError for an element above 2^63 - 1. NumPy: numpy.load.
SINTER_API Tensor load_npy(const std::string& path);
/// Writes the values to a .npy file in C order, at once; the file replaces an older one when it is
/// complete. Throws Error if it cannot be written. NumPy: numpy.save.
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
/// tensor() of a list of numbers, as a vector. Throws Error if the numbers are complex and the
/// dtype is real.
template <scalar_like T>
Tensor tensor(ArrayRef<T> values, const TensorOptions& options = {}) {
    return tensor(values.vec(), options);
}

}  // namespace sinter::inline v1
