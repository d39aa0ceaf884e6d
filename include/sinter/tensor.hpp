// Tensor, and the methods that tensors and expressions share.
//
// Laziness, for all of this file: pointwise methods, reductions and in-place methods are pending
// until a value is read (item, data pointers, printing, saving, eval) and fuse; views cost nothing;
// products are pending library calls. Errors in shapes and dtypes are thrown at the call.
#pragma once

#include <sinter/array_ref.hpp>
#include <sinter/dtype.hpp>
#include <sinter/error.hpp>
#include <sinter/expr/program.hpp>
#include <sinter/generator.hpp>
#include <sinter/geometry.hpp>
#include <sinter/intrusive_ptr.hpp>
#include <sinter/options.hpp>
#include <sinter/scalar.hpp>
#include <sinter/tensor_fwd.hpp>

#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace sinter::inline v1 {

/// Everything that a tensor and a named expression can do. Not a template, so that a program pays
/// for its declarations once. Called on an expression, a method first gives it its name: one
/// pending tensor, kept in the object and shared by its copies.
class SINTER_API tensor_base {
public:
    // ---- information
    IntArrayRef sizes() const;
    IntArrayRef strides() const;
    int64_t size(int64_t dim) const;
    int64_t stride(int64_t dim) const;
    int64_t dim() const;
    int64_t ndimension() const { return dim(); }
    int64_t numel() const;
    std::size_t itemsize() const;
    std::size_t element_size() const { return itemsize(); }
    std::size_t nbytes() const;
    ScalarType scalar_type() const;
    TypeMeta dtype() const { return TypeMeta(scalar_type()); }
    Device device() const;
    TensorOptions options() const;
    bool is_contiguous() const;
    bool is_contiguous(MemoryFormat format) const;
    /// The order in memory that the dimensions lie in: Contiguous, ChannelsLast or ChannelsLast3d.
    MemoryFormat suggest_memory_format(bool channels_last_strides_exact_match = false) const;
    int64_t get_device() const;  // the index of a GPU; -1 for the CPU
    bool is_floating_point() const { return isFloatingType(scalar_type()); }
    bool is_complex() const { return isComplexType(scalar_type()); }
    bool is_signed() const { return isSignedType(scalar_type()); }
    int64_t storage_offset() const;
    bool defined() const;
    bool is_same(const tensor_base& other) const;
    bool is_alias_of(const tensor_base& other) const;  // sees the same storage
    uint64_t _version() const;  // the in-place changes that the storage has seen
    bool requires_grad() const { return false; }
    /// There is no differentiation yet: `false` is fine, all else throws NotImplementedError.
    Tensor& requires_grad_(bool on = true) const;
    Tensor& set_requires_grad(bool on) const { return requires_grad_(on); }
    void backward() const;
    Tensor grad() const;
    bool has_storage() const { return defined(); }
    Layout layout() const;
    bool is_cpu() const { return device().is_cpu(); }
    bool is_cuda() const { return device().is_cuda(); }
    /// In main memory that copies to and from a GPU need not wait for: the same tensor, or a copy,
    /// made at once. Throws Error without a GPU, and of a tensor on one.
    Tensor pin_memory(optional<Device> device = nullopt) const;
    bool is_pinned(optional<Device> device = nullopt) const;
    /// The program's own work on that stream uses the memory: nobody else gets it before what is on
    /// the stream when the tensor dies has ended. Throws Error of a tensor on the CPU.
    void record_stream(const Stream& s) const;
    bool is_non_overlapping_and_dense() const;  // fills a range of memory, each place once
    bool is_same_size(const tensor_base& other) const;
    std::string toString() const;  // CPUFloatType

    // ---- storage (storage.hpp, accessor.hpp)
    /// All elements that views share, with their dtype; the memory becomes external for good.
    TypedStorage storage() const;
    /// Elements by indices, without checks; external memory, unless T is const. Throws where dtype
    /// or number of dimensions differ.
    template <class T, std::size_t N>
    TensorAccessor<T, N> accessor() const&;
    template <class T, std::size_t N>
    TensorAccessor<T, N> accessor() && = delete;
    /// The same with sizes and strides of its own. Indices of 32 bits throw where there are more
    /// elements than they count.
#define SINTER_PACKED(name, I)                                                             \
    template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits> \
    GenericPackedTensorAccessor<T, N, PtrTraits, I> name() const&;                         \
    template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits> \
    GenericPackedTensorAccessor<T, N, PtrTraits, I> name()&& = delete;
    SINTER_PACKED(packed_accessor64, int64_t)
    SINTER_PACKED(packed_accessor32, int32_t)
#undef SINTER_PACKED
    /// Another handle of the storage, as detach().
    Tensor data() const;
    /// All handles of this tensor see another tensor's storage, with its sizes and dtype.
    void set_data(const tensor_base& other) const;
    /// The same for a storage of this dtype, or a part of it; of none, nothing is left. Throws
    /// where the part does not fit.
    Tensor& set_(const tensor_base& source) const;
    Tensor& set_(const TypedStorage& source) const;
    Tensor& set_(const TypedStorage& source, int64_t storage_offset, IntArrayRef sizes,
                 IntArrayRef strides = {}) const;
    Tensor& set_(const tensor_base& source, int64_t storage_offset, IntArrayRef sizes,
                 IntArrayRef strides = {}) const;
    Tensor& set_() const;
    /// Other sizes over the same memory, contiguous or in a format; where it is too small, over
    /// more, whose new elements are undefined. Throws where memory that is not Sinter's would have
    /// to grow.
    Tensor& resize_(IntArrayRef sizes, optional<MemoryFormat> format = nullopt) const;
    Tensor& resize_as_(const tensor_base& other, optional<MemoryFormat> format = nullopt) const;

    // ---- values: these run what is pending
    /// The only element, converted; throws Error if there is not exactly one, or if it does not fit
    /// T.
    template <class T>
    T item() const;
    Scalar item() const;
    bool is_nonzero() const;
    // `if (t)`, `!t` and `a && b` do not compile. Compilers show this line, so it says what to
    // write:
    explicit operator bool() const = delete;  // is_nonzero(), item<bool>(), logical_and()
    /// Computes the value now; returns the tensor.
    Tensor& eval() const;
    /// First element; the memory becomes external for good (docs/laziness.md).
    void* data_ptr() const;
    template <class T>
    T* data_ptr() const;
    /// The same, and says so.
    void* mutable_data_ptr() const { return data_ptr(); }
    template <class T>
    T* mutable_data_ptr() const {
        return data_ptr<T>();
    }
    /// Read-only: does not make the memory external. Valid until the tensor is written or dies.
    const void* const_data_ptr() const;
    template <class T>
    const T* const_data_ptr() const;

    // ---- views: share storage; sizes, dims and indices as in PyTorch, negative ones from the end
    Tensor view(IntArrayRef sizes) const;
    /// The same bytes as elements of another dtype. Where these are smaller or larger, the last
    /// dimension has more or fewer; it must be dense then.
    template <class Type>
        requires(std::is_same_v<Type, ScalarType> || std::is_same_v<Type, TypeMeta>)
    Tensor view(Type dtype) const;            // a template: empty braces are no dtype
    Tensor reshape(IntArrayRef sizes) const;  // a view where possible, else a pending copy
    Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) const;
    Tensor transpose(int64_t dim0, int64_t dim1) const;
    Tensor t() const;
    Tensor permute(IntArrayRef dims) const;
    Tensor slice(int64_t dim = 0, optional<int64_t> start = nullopt,
                 optional<int64_t> end = nullopt, int64_t step = 1) const;
    Tensor select(int64_t dim, int64_t index) const;
    Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
    Tensor narrow(int64_t dim, const tensor_base& start, int64_t length) const;  // reads it
    Tensor expand(IntArrayRef sizes, bool implicit = false) const;
    Tensor expand_as(const tensor_base& other) const;
    Tensor squeeze() const;
    Tensor squeeze(int64_t dim) const;
    Tensor squeeze(IntArrayRef dims) const;
    Tensor unsqueeze(int64_t dim) const;
    Tensor diagonal(int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) const;
    Tensor unfold(int64_t dim, int64_t size, int64_t step) const;
    Tensor as_strided(IntArrayRef sizes, IntArrayRef strides,
                      optional<int64_t> storage_offset = nullopt) const;
    Tensor detach() const;
    Tensor operator[](int64_t index) const;
    Tensor operator[](const Scalar& index) const;  // throws IndexError of what is no integer
    Tensor operator[](const tensor_base& index) const;
    /// Integers, slices, None and Ellipsis give a view. With tensors and masks it is a pending copy
    /// (opaque; masks are read at the line): the dimensions of the tensors, broadcast, stand where
    /// the first one was if they are neighbours, else in front.
    Tensor index(std::initializer_list<TensorIndex> indices) const;
    Tensor index(ArrayRef<TensorIndex> indices) const;
    Tensor view_as(const tensor_base& other) const;
    Tensor reshape_as(const tensor_base& other) const;
    Tensor ravel() const;  // 1-d; a pending copy unless contiguous
    /// Several sizes in place of one dimension's; one may be -1.
    Tensor unflatten(int64_t dim, IntArrayRef sizes) const;
    Tensor numpy_T() const;  // all dimensions in reverse order
    Tensor T() const;
    Tensor mT() const;  // the last two dimensions swapped; throws on 1-d tensors
    Tensor mH() const;  // as mT, conjugated: a view of a real tensor only
    Tensor adjoint() const;
    Tensor matrix_H() const;  // of one matrix
    Tensor H() const;
    Tensor movedim(int64_t source, int64_t destination) const;
    Tensor movedim(IntArrayRef source, IntArrayRef destination) const;
    Tensor moveaxis(int64_t source, int64_t destination) const;
    Tensor moveaxis(IntArrayRef source, IntArrayRef destination) const;
    Tensor swapaxes(int64_t axis0, int64_t axis1) const;
    Tensor swapdims(int64_t dim0, int64_t dim1) const;
    Tensor broadcast_to(IntArrayRef sizes) const;
    /// Parts: functions of these names in shape.hpp say what each gives.
    std::vector<Tensor> split(int64_t split_size, int64_t dim = 0) const;
    std::vector<Tensor> split(IntArrayRef sizes, int64_t dim = 0) const;
    std::vector<Tensor> split_with_sizes(IntArrayRef sizes, int64_t dim = 0) const;
    std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0) const;
    std::vector<Tensor> tensor_split(int64_t sections, int64_t dim = 0) const;
    std::vector<Tensor> tensor_split(IntArrayRef indices, int64_t dim = 0) const;
    std::vector<Tensor> tensor_split(const tensor_base& indices_or_sections, int64_t dim = 0) const;
    std::vector<Tensor> hsplit(int64_t sections) const;
    std::vector<Tensor> hsplit(IntArrayRef indices) const;
    std::vector<Tensor> vsplit(int64_t sections) const;
    std::vector<Tensor> vsplit(IntArrayRef indices) const;
    std::vector<Tensor> dsplit(int64_t sections) const;
    std::vector<Tensor> dsplit(IntArrayRef indices) const;
    std::vector<Tensor> unbind(int64_t dim = 0) const;

    // ---- other sizes and strides for this tensor and all its handles; storage is untouched
    Tensor& squeeze_() const;
    Tensor& squeeze_(int64_t dim) const;
    Tensor& squeeze_(IntArrayRef dims) const;
    Tensor& unsqueeze_(int64_t dim) const;
    Tensor& t_() const;
    Tensor& transpose_(int64_t dim0, int64_t dim1) const;
    Tensor& swapaxes_(int64_t axis0, int64_t axis1) const;
    Tensor& swapdims_(int64_t dim0, int64_t dim1) const;
    Tensor& as_strided_(IntArrayRef sizes, IntArrayRef strides,
                        optional<int64_t> storage_offset = nullopt) const;
    Tensor& detach_() const { return self(); }

    // ---- copies
    Tensor narrow_copy(int64_t dim, int64_t start, int64_t length) const;
    Tensor flip(IntArrayRef dims) const;
    Tensor roll(IntArrayRef shifts, IntArrayRef dims = {}) const;
    Tensor rot90(int64_t k = 1, IntArrayRef dims = {0, 1}) const;
    Tensor fliplr() const;  // dimension 1
    Tensor flipud() const;  // dimension 0
    /// The whole tensor again and again: `repeats` times in each dimension, new ones in front.
    /// Fused; throws where there are fewer repeats than dimensions (`tile` takes the missing as 1).
    Tensor repeat(IntArrayRef repeats) const;
    Tensor tile(IntArrayRef repeats) const;
    /// Each element `repeats` times in a row, in `dim` or of all elements. Fused.
    Tensor repeat_interleave(int64_t repeats, optional<int64_t> dim = nullopt,
                             optional<int64_t> output_size = nullopt) const;
    /// Each element, or slice of `dim`, as often as `repeats` says: reads it at the call.
    Tensor repeat_interleave(const tensor_base& repeats, optional<int64_t> dim = nullopt,
                             optional<int64_t> output_size = nullopt) const;
    /// A copy in which `source` stands at an index, or in a slice, of a dimension.
    Tensor select_scatter(const tensor_base& source, int64_t dim, int64_t index) const;
    Tensor slice_scatter(const tensor_base& source, int64_t dim = 0,
                         optional<int64_t> start = nullopt, optional<int64_t> end = nullopt,
                         int64_t step = 1) const;
    Tensor diagonal_scatter(const tensor_base& source, int64_t offset = 0, int64_t dim1 = 0,
                            int64_t dim2 = 1) const;
    Tensor as_strided_scatter(const tensor_base& source, IntArrayRef sizes, IntArrayRef strides,
                              optional<int64_t> storage_offset = nullopt) const;
    /// Matrices from diagonals, and a matrix's diagonal: diag, diag_embed and diagflat of
    /// shape.hpp.
    Tensor diag(int64_t diagonal = 0) const;
    Tensor diag_embed(int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1) const;
    Tensor diagflat(int64_t offset = 0) const;
    /// Zeros below, or above, a diagonal of the last two dimensions. Fused.
    Tensor triu(int64_t diagonal = 0) const;
    Tensor tril(int64_t diagonal = 0) const;
    Tensor contiguous() const;  // the same tensor if it is
    Tensor contiguous(MemoryFormat format) const;
    Tensor clone() const;
    Tensor clone(optional<MemoryFormat> format) const;
    /// The same tensor if it has that dtype, device and format, unless `copy`. A copy to another
    /// device runs what is pending; a `non_blocking` one from pinned memory, or to the CPU, is not
    /// waited for: reads of the result wait themselves, who holds a pointer waits for the stream.
    Tensor to(ScalarType dtype, bool non_blocking = false, bool copy = false,
              optional<MemoryFormat> format = nullopt) const;
    Tensor to(TypeMeta dtype, bool non_blocking = false, bool copy = false) const;
    Tensor to(const TensorOptions& options = {}, bool non_blocking = false, bool copy = false,
              optional<MemoryFormat> format = nullopt) const;
    Tensor to(Device device, ScalarType dtype, bool non_blocking = false, bool copy = false,
              optional<MemoryFormat> format = nullopt) const;
    Tensor to(optional<ScalarType> dtype, optional<Layout> layout, optional<Device> device,
              optional<bool> pin_memory, bool non_blocking, bool copy,
              optional<MemoryFormat> format) const;
    Tensor to(const tensor_base& other, bool non_blocking = false, bool copy = false,
              optional<MemoryFormat> format = nullopt) const;  // dtype and device of another
    Tensor toType(ScalarType dtype) const;                     // to(dtype), as the next two
    Tensor type(ScalarType dtype) const;
    Tensor type_as(const tensor_base& other) const;
    Tensor cpu() const;
    Tensor cuda(int8_t index = -1, bool non_blocking = false) const;

    // ---- new tensors of this one's dtype, unless the options name one
    Tensor new_empty(IntArrayRef sizes, const TensorOptions& options = {}) const;
    Tensor new_zeros(IntArrayRef sizes, const TensorOptions& options = {}) const;
    Tensor new_ones(IntArrayRef sizes, const TensorOptions& options = {}) const;
    Tensor new_full(IntArrayRef sizes, const Scalar& value,
                    const TensorOptions& options = {}) const;
    Tensor new_tensor(const number_list& values, const TensorOptions& options = {}) const;
    Tensor new_tensor(std::initializer_list<number_list> values,
                      const TensorOptions& options = {}) const;

    // ---- pointwise, one method for each row and alias
#define SINTER_UNARY(name, row)       \
    unary_expr<op::row> name() const; \
    Tensor& name##_() const;
#define SINTER_BINARY(name, row)                               \
    binary_expr<op::row> name(const tensor_base& other) const; \
    scalar_expr<op::row> name(const Scalar& other) const;      \
    Tensor& name##_(const tensor_base& other) const;           \
    Tensor& name##_(const Scalar& other) const;
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY
    Tensor add(const tensor_base& other, const Scalar& alpha) const;
    Tensor sub(const tensor_base& other, const Scalar& alpha) const;
    Tensor& add_(const tensor_base& other, const Scalar& alpha) const;
    Tensor& sub_(const tensor_base& other, const Scalar& alpha) const;
    /// Exponents -2, -1, -0.5, 0, 0.5, 1, 2, 3 become cheaper operations.
    Tensor pow(const Scalar& exponent) const;
    Tensor pow(const tensor_base& exponent) const;
    Tensor& pow_(const Scalar& exponent) const;
    Tensor& pow_(const tensor_base& exponent) const;
    Tensor clamp(const optional<Scalar>& min, const optional<Scalar>& max = nullopt) const;
    Tensor& clamp_(const optional<Scalar>& min, const optional<Scalar>& max = nullopt) const;
    Tensor clip(const optional<Scalar>& min, const optional<Scalar>& max = nullopt) const;
    Tensor& clip_(const optional<Scalar>& min, const optional<Scalar>& max = nullopt) const;
    Tensor where(const tensor_base& condition, const tensor_base& other) const;

    // ---- pointwise with parameters: what pointwise.hpp says of the functions of these names
    Tensor add(const Scalar& other, const Scalar& alpha) const;
    Tensor sub(const Scalar& other, const Scalar& alpha) const;
    Tensor subtract(const tensor_base& other, const Scalar& alpha) const;
    Tensor subtract(const Scalar& other, const Scalar& alpha) const;
    Tensor& add_(const Scalar& other, const Scalar& alpha) const;
    Tensor& sub_(const Scalar& other, const Scalar& alpha) const;
    Tensor& subtract_(const tensor_base& other, const Scalar& alpha) const;
    Tensor& subtract_(const Scalar& other, const Scalar& alpha) const;
    Tensor div(const tensor_base& other, optional<std::string_view> rounding_mode) const;
    Tensor div(const Scalar& other, optional<std::string_view> rounding_mode) const;
    Tensor divide(const tensor_base& other, optional<std::string_view> rounding_mode) const;
    Tensor divide(const Scalar& other, optional<std::string_view> rounding_mode) const;
    Tensor& div_(const tensor_base& other, optional<std::string_view> rounding_mode) const;
    Tensor& div_(const Scalar& other, optional<std::string_view> rounding_mode) const;
    Tensor& divide_(const tensor_base& other, optional<std::string_view> rounding_mode) const;
    Tensor& divide_(const Scalar& other, optional<std::string_view> rounding_mode) const;
    Tensor where(const tensor_base& condition, const Scalar& other) const;
    Tensor clamp(const optional<Tensor>& min) const;
    Tensor clamp(const optional<Tensor>& min, const optional<Tensor>& max) const;
    Tensor& clamp_(const optional<Tensor>& min) const;
    Tensor& clamp_(const optional<Tensor>& min, const optional<Tensor>& max) const;
    Tensor clip(const optional<Tensor>& min) const;
    Tensor clip(const optional<Tensor>& min, const optional<Tensor>& max) const;
    Tensor& clip_(const optional<Tensor>& min) const;
    Tensor& clip_(const optional<Tensor>& min, const optional<Tensor>& max) const;
    Tensor lerp(const tensor_base& end, const tensor_base& weight) const;
    Tensor lerp(const tensor_base& end, const Scalar& weight) const;
    Tensor& lerp_(const tensor_base& end, const tensor_base& weight) const;
    Tensor& lerp_(const tensor_base& end, const Scalar& weight) const;
    Tensor addcmul(const tensor_base& tensor1, const tensor_base& tensor2,
                   const Scalar& value = 1) const;
    Tensor addcdiv(const tensor_base& tensor1, const tensor_base& tensor2,
                   const Scalar& value = 1) const;
    Tensor& addcmul_(const tensor_base& tensor1, const tensor_base& tensor2,
                     const Scalar& value = 1) const;
    Tensor& addcdiv_(const tensor_base& tensor1, const tensor_base& tensor2,
                     const Scalar& value = 1) const;
    Tensor nan_to_num(optional<double> nan = nullopt, optional<double> posinf = nullopt,
                      optional<double> neginf = nullopt) const;
    Tensor& nan_to_num_(optional<double> nan = nullopt, optional<double> posinf = nullopt,
                        optional<double> neginf = nullopt) const;
    Tensor logit(optional<double> eps) const;
    Tensor& logit_(optional<double> eps) const;
    Tensor ldexp(const tensor_base& other) const;
    Tensor& ldexp_(const tensor_base& other) const;
    std::tuple<Tensor, Tensor> frexp() const;
    Tensor float_power(const tensor_base& exponent) const;
    Tensor float_power(const Scalar& exponent) const;
    Tensor& float_power_(const tensor_base& exponent) const;
    Tensor& float_power_(const Scalar& exponent) const;
    Tensor polygamma(int64_t n) const;
    Tensor& polygamma_(int64_t n) const;
    Tensor mvlgamma(int64_t p) const;
    Tensor& mvlgamma_(int64_t p) const;
    Tensor angle() const;
    Tensor isreal() const;
    Tensor positive() const;
    Tensor conj() const;
    Tensor conj_physical() const;
    Tensor& conj_physical_() const;
    Tensor resolve_conj() const;
    Tensor resolve_neg() const;
    bool is_conj() const { return false; }
    bool is_neg() const { return false; }
    Tensor round(int64_t decimals) const;
    Tensor& round_(int64_t decimals) const;
    Tensor prelu(const tensor_base& weight) const;
    Tensor hardshrink(const Scalar& lambd = 0.5) const;

    // ---- in place: write the storage, through any view of it; return this tensor
    Tensor& copy_(const tensor_base& source, bool non_blocking = false) const;  // as `to` has it
    Tensor& copy_(detail::expr_base&& source) const;  // computed in place, not copied
    Tensor& fill_(const Scalar& value) const;
    Tensor& fill_(const tensor_base& value) const;  // without dimensions
    Tensor& zero_() const;
    /// The elements whose indices are all equal; `wrap`: of a tall matrix, again after each square.
    Tensor& fill_diagonal_(const Scalar& value, bool wrap = false) const;
    Tensor& triu_(int64_t diagonal = 0) const;
    Tensor& tril_(int64_t diagonal = 0) const;

    // ---- tensors of indices, and masks: gathering.hpp says what each does
    Tensor gather(int64_t dim, const tensor_base& index, bool sparse_grad = false) const;
    Tensor take_along_dim(const tensor_base& indices, optional<int64_t> dim = nullopt) const;
    Tensor take(const tensor_base& index) const;
    Tensor index_select(int64_t dim, const tensor_base& index) const;
    Tensor masked_select(const tensor_base& mask) const;
    Tensor nonzero() const;
    Tensor argwhere() const;
    std::vector<Tensor> nonzero_numpy() const;
#define SINTER_INDEXED(name, ...)   \
    Tensor name(__VA_ARGS__) const; \
    Tensor& name##_(__VA_ARGS__) const;
    SINTER_INDEXED(scatter, int64_t dim, const tensor_base& index, const tensor_base& source)
    SINTER_INDEXED(scatter, int64_t dim, const tensor_base& index, const Scalar& value)
    SINTER_INDEXED(scatter, int64_t dim, const tensor_base& index, const tensor_base& source,
                   const std::string& reduce)
    SINTER_INDEXED(scatter, int64_t dim, const tensor_base& index, const Scalar& value,
                   const std::string& reduce)
    SINTER_INDEXED(scatter_add, int64_t dim, const tensor_base& index, const tensor_base& source)
    SINTER_INDEXED(scatter_reduce, int64_t dim, const tensor_base& index, const tensor_base& source,
                   const std::string& reduce, bool include_self = true)
    SINTER_INDEXED(index_add, int64_t dim, const tensor_base& index, const tensor_base& source,
                   const Scalar& alpha = 1)
    SINTER_INDEXED(index_copy, int64_t dim, const tensor_base& index, const tensor_base& source)
    SINTER_INDEXED(index_fill, int64_t dim, const tensor_base& index, const Scalar& value)
    SINTER_INDEXED(index_fill, int64_t dim, const tensor_base& index, const tensor_base& value)
    SINTER_INDEXED(index_reduce, int64_t dim, const tensor_base& index, const tensor_base& source,
                   const std::string& reduce, bool include_self = true)
    SINTER_INDEXED(put, const tensor_base& index, const tensor_base& source,
                   bool accumulate = false)
    SINTER_INDEXED(masked_fill, const tensor_base& mask, const Scalar& value)
    SINTER_INDEXED(masked_fill, const tensor_base& mask, const tensor_base& value)
    SINTER_INDEXED(masked_scatter, const tensor_base& mask, const tensor_base& source)
#undef SINTER_INDEXED
    Tensor index_put(std::initializer_list<TensorIndex> indices, const tensor_base& values,
                     bool accumulate = false) const;
    Tensor& index_put_(std::initializer_list<TensorIndex> indices, const tensor_base& values,
                       bool accumulate = false) const;
    Tensor& index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value,
                       bool accumulate = false) const;
    Tensor& index_put_(ArrayRef<TensorIndex> indices, const tensor_base& values,
                       bool accumulate = false) const;
    Tensor& index_put_(ArrayRef<TensorIndex> indices, const Scalar& value,
                       bool accumulate = false) const;

    // ---- random draws: random.hpp says when they run, and from which stream
    /// Floating dtypes, from here to cauchy_. In [from, to).
    Tensor& uniform_(double from = 0, double to = 1,
                     const optional_generator& generator = nullopt) const;
    Tensor& normal_(double mean = 0, double std = 1,
                    const optional_generator& generator = nullopt) const;
    /// The exponential of normal numbers of this mean and deviation.
    Tensor& log_normal_(double mean = 1, double std = 2,
                        const optional_generator& generator = nullopt) const;
    Tensor& exponential_(double lambd = 1, const optional_generator& generator = nullopt) const;
    Tensor& cauchy_(double median = 0, double sigma = 1,
                    const optional_generator& generator = nullopt) const;
    /// How many trials to the first success: 1, 2, ...
    Tensor& geometric_(double p, const optional_generator& generator = nullopt) const;
    /// Whole numbers: all that the dtype counts exactly from 0 on; below `to`; from `from` on.
    Tensor& random_(const optional_generator& generator = nullopt) const;
    Tensor& random_(int64_t to, const optional_generator& generator = nullopt) const;
    Tensor& random_(int64_t from, optional<int64_t> to,
                    const optional_generator& generator = nullopt) const;
    Tensor& bernoulli_(double p = 0.5, const optional_generator& generator = nullopt) const;
    Tensor& bernoulli_(const tensor_base& p, const optional_generator& generator = nullopt) const;
    Tensor bernoulli(const optional_generator& generator = nullopt) const;
    Tensor bernoulli(double p, const optional_generator& generator = nullopt) const;
    Tensor multinomial(int64_t num_samples, bool replacement = false,
                       const optional_generator& generator = nullopt) const;

    // ---- reductions; `dim` may be negative; no list or an empty one means all dimensions
    Tensor sum(optional<ScalarType> dtype = nullopt) const;
    Tensor sum(OptionalIntArrayRef dim, bool keepdim = false,
               optional<ScalarType> dtype = nullopt) const;
    Tensor mean(optional<ScalarType> dtype = nullopt) const;
    Tensor mean(OptionalIntArrayRef dim, bool keepdim = false,
                optional<ScalarType> dtype = nullopt) const;
    Tensor prod(optional<ScalarType> dtype = nullopt) const;
    Tensor prod(int64_t dim, bool keepdim = false, optional<ScalarType> dtype = nullopt) const;
    Tensor amax(IntArrayRef dim = {}, bool keepdim = false) const;
    Tensor amin(IntArrayRef dim = {}, bool keepdim = false) const;
    Tensor max() const;
    Tensor min() const;
    std::tuple<Tensor, Tensor> max(int64_t dim, bool keepdim = false) const;
    std::tuple<Tensor, Tensor> min(int64_t dim, bool keepdim = false) const;
    Tensor argmax(optional<int64_t> dim = nullopt, bool keepdim = false) const;
    Tensor argmin(optional<int64_t> dim = nullopt, bool keepdim = false) const;
    Tensor any() const;
    Tensor any(int64_t dim, bool keepdim = false) const;
    Tensor all() const;
    Tensor all(int64_t dim, bool keepdim = false) const;
    Tensor var(bool unbiased = true) const;
    Tensor var(int dim) const;
    Tensor var(IntArrayRef dim, bool unbiased, bool keepdim = false) const;
    Tensor std(bool unbiased = true) const;
    Tensor std(int dim) const;
    Tensor std(IntArrayRef dim, bool unbiased, bool keepdim = false) const;
    // ---- further reductions: reductions.hpp says what each gives
    Tensor any(OptionalIntArrayRef dim, bool keepdim = false) const;
    Tensor all(OptionalIntArrayRef dim, bool keepdim = false) const;
    binary_expr<op::maximum> max(const tensor_base& other) const;
    binary_expr<op::minimum> min(const tensor_base& other) const;
    Tensor var(OptionalIntArrayRef dim, const optional<Scalar>& correction = nullopt,
               bool keepdim = false) const;
    Tensor std(OptionalIntArrayRef dim, const optional<Scalar>& correction = nullopt,
               bool keepdim = false) const;
    std::tuple<Tensor, Tensor> aminmax(optional<int64_t> dim = nullopt, bool keepdim = false) const;
    Tensor nansum(optional<ScalarType> dtype = nullopt) const;
    Tensor nansum(OptionalIntArrayRef dim, bool keepdim = false,
                  optional<ScalarType> dtype = nullopt) const;
    Tensor nanmean(optional<ScalarType> dtype = nullopt) const;
    Tensor nanmean(OptionalIntArrayRef dim, bool keepdim = false,
                   optional<ScalarType> dtype = nullopt) const;
    Tensor count_nonzero(optional<int64_t> dim = nullopt) const;
    Tensor count_nonzero(int64_t dim) const;
    Tensor count_nonzero(IntArrayRef dim) const;
    Tensor logsumexp(IntArrayRef dim, bool keepdim = false) const;
    Tensor softmax(int64_t dim, optional<ScalarType> dtype = nullopt) const;
    Tensor log_softmax(int64_t dim, optional<ScalarType> dtype = nullopt) const;
    Tensor norm(const Scalar& p = 2) const;
    Tensor norm(const optional<Scalar>& p, ScalarType dtype) const;
    Tensor norm(const optional<Scalar>& p, IntArrayRef dim, bool keepdim = false) const;
    Tensor norm(const optional<Scalar>& p, IntArrayRef dim, bool keepdim, ScalarType dtype) const;
    Tensor dist(const tensor_base& other, const Scalar& p = 2) const;
    Tensor renorm(const Scalar& p, int64_t dim, const Scalar& maxnorm) const;
    Tensor& renorm_(const Scalar& p, int64_t dim, const Scalar& maxnorm) const;
    Tensor cov(int64_t correction = 1) const;
    Tensor cov(int64_t correction, const optional<Tensor>& fweights) const;
    Tensor cov(int64_t correction, const optional<Tensor>& fweights,
               const optional<Tensor>& aweights) const;
    Tensor corrcoef() const;
    Tensor diff(int64_t n = 1, int64_t dim = -1) const;
    Tensor diff(int64_t n, int64_t dim, const optional<Tensor>& prepend) const;
    Tensor diff(int64_t n, int64_t dim, const optional<Tensor>& prepend,
                const optional<Tensor>& append) const;
    Tensor isclose(const tensor_base& other, double rtol = 1e-5, double atol = 1e-8,
                   bool equal_nan = false) const;
    bool allclose(const tensor_base& other, double rtol = 1e-5, double atol = 1e-8,
                  bool equal_nan = false) const;
    bool equal(const tensor_base& other) const;

    // ---- scans: scans.hpp says what each gives
    Tensor cumsum(int64_t dim, optional<ScalarType> dtype = nullopt) const;
    Tensor& cumsum_(int64_t dim, optional<ScalarType> dtype = nullopt) const;
    Tensor cumprod(int64_t dim, optional<ScalarType> dtype = nullopt) const;
    Tensor& cumprod_(int64_t dim, optional<ScalarType> dtype = nullopt) const;
    std::tuple<Tensor, Tensor> cummax(int64_t dim) const;
    std::tuple<Tensor, Tensor> cummin(int64_t dim) const;
    Tensor logcumsumexp(int64_t dim) const;

    // ---- order: sorting.hpp says what each gives
    std::tuple<Tensor, Tensor> sort(int64_t dim = -1, bool descending = false) const;
    std::tuple<Tensor, Tensor> sort(optional<bool> stable, int64_t dim = -1,
                                    bool descending = false) const;
    Tensor argsort(int64_t dim = -1, bool descending = false) const;
    Tensor argsort(int dim, bool descending = false) const;  // or 0 could be `stable`
    Tensor argsort(bool stable, int64_t dim = -1, bool descending = false) const;
    Tensor msort() const;
    std::tuple<Tensor, Tensor> topk(int64_t k, int64_t dim = -1, bool largest = true,
                                    bool sorted = true) const;
    std::tuple<Tensor, Tensor> kthvalue(int64_t k, int64_t dim = -1, bool keepdim = false) const;
    Tensor median() const;
    std::tuple<Tensor, Tensor> median(int64_t dim, bool keepdim = false) const;
    Tensor nanmedian() const;
    std::tuple<Tensor, Tensor> nanmedian(int64_t dim, bool keepdim = false) const;
    std::tuple<Tensor, Tensor> mode(int64_t dim = -1, bool keepdim = false) const;
    Tensor quantile(double q, optional<int64_t> dim = nullopt, bool keepdim = false,
                    const std::string& interpolation = "linear") const;
    Tensor quantile(const tensor_base& q, optional<int64_t> dim = nullopt, bool keepdim = false,
                    const std::string& interpolation = "linear") const;
    Tensor nanquantile(double q, optional<int64_t> dim = nullopt, bool keepdim = false,
                       const std::string& interpolation = "linear") const;
    Tensor nanquantile(const tensor_base& q, optional<int64_t> dim = nullopt, bool keepdim = false,
                       const std::string& interpolation = "linear") const;
    Tensor bincount() const;
    Tensor bincount(const optional<Tensor>& weights, int64_t minlength = 0) const;
    Tensor histc(int64_t bins = 100, const Scalar& min = 0, const Scalar& max = 0) const;
    std::tuple<Tensor, Tensor> histogram(int64_t bins = 100,
                                         optional<ArrayRef<double>> range = nullopt) const;
    std::tuple<Tensor, Tensor> histogram(int64_t bins, optional<ArrayRef<double>> range,
                                         const optional<Tensor>& weight,
                                         bool density = false) const;
    std::tuple<Tensor, Tensor> histogram(const tensor_base& bins) const;
    std::tuple<Tensor, Tensor> histogram(const tensor_base& bins, const optional<Tensor>& weight,
                                         bool density = false) const;

    // ---- products: products.hpp says what each gives
    Tensor matmul(const tensor_base& other) const;
    Tensor mm(const tensor_base& other) const;
    Tensor mv(const tensor_base& other) const;
    Tensor dot(const tensor_base& other) const;
    Tensor vdot(const tensor_base& other) const;
    Tensor bmm(const tensor_base& other) const;
    Tensor inner(const tensor_base& other) const;
    Tensor outer(const tensor_base& other) const;
    Tensor ger(const tensor_base& other) const;
    Tensor kron(const tensor_base& other) const;
    Tensor cross(const tensor_base& other, optional<int64_t> dim = nullopt) const;
#define SINTER_ADDED(name)                                                              \
    Tensor name(const tensor_base& a, const tensor_base& b, const Scalar& beta = 1,     \
                const Scalar& alpha = 1) const;                                         \
    Tensor& name##_(const tensor_base& a, const tensor_base& b, const Scalar& beta = 1, \
                    const Scalar& alpha = 1) const;
    SINTER_ADDED(addmm)
    SINTER_ADDED(addmv)
    SINTER_ADDED(addr)
    SINTER_ADDED(baddbmm)
    SINTER_ADDED(addbmm)
#undef SINTER_ADDED

    // ---- the rest of the methods, those of linear algebra among them
#include <sinter/expr/methods.inc>

    // ---- operators that write
    template <class T>
    Tensor& operator+=(const T& other) const {
        return add_(other);
    }
    template <class T>
    Tensor& operator-=(const T& other) const {
        return sub_(other);
    }
    template <class T>
    Tensor& operator*=(const T& other) const {
        return mul_(other);
    }
    template <class T>
    Tensor& operator/=(const T& other) const {
        return div_(other);
    }
    template <class T>
    Tensor& operator&=(const T& other) const {
        return bitwise_and_(other);
    }
    template <class T>
    Tensor& operator|=(const T& other) const {
        return bitwise_or_(other);
    }
    template <class T>
    Tensor& operator^=(const T& other) const {
        return bitwise_xor_(other);
    }

    // ---- inside the library
    /// The tensor itself, or the one that this expression names.
    Tensor& self() const;

protected:
    using name_fn = Tensor& (*)(const tensor_base*);
    explicit tensor_base(name_fn name) : name_(name) {}
    tensor_base(const tensor_base& o) = default;
    tensor_base& operator=(const tensor_base&) { return *this; }  // `name_` belongs to the type
    ~tensor_base() = default;

private:
    Tensor view_as_dtype(ScalarType dtype) const;
    name_fn name_;
};

template <class T>
concept tensor_like = std::is_base_of_v<tensor_base, std::remove_cvref_t<T>>;
template <class T>
concept scalar_like = std::is_arithmetic_v<std::remove_cvref_t<T>> ||
                      std::is_same_v<std::remove_cvref_t<T>, Scalar> ||
                      std::is_same_v<std::remove_cvref_t<T>, Half> ||
                      std::is_same_v<std::remove_cvref_t<T>, BFloat16> ||
                      std::is_same_v<std::remove_cvref_t<T>, complex<float>> ||
                      std::is_same_v<std::remove_cvref_t<T>, complex<double>> ||
                      detail::standard_complex<std::remove_cvref_t<T>>;

/// A handle of a strided array: copying a Tensor shares it. Elements are in a storage that views
/// share. Default-constructed, it is undefined and every use but `defined()` throws.
class SINTER_API Tensor : public tensor_base {
public:
    Tensor() : tensor_base(nullptr) {}
    Tensor(const Tensor& o) = default;
    Tensor(Tensor&& o) noexcept : tensor_base(nullptr), impl_(std::move(o.impl_)) {}
    ~Tensor() = default;
    /// The pending tensor of an expression.
    Tensor(const detail::expr_base& e);  // NOLINT
    Tensor(detail::expr_base&& e);       // NOLINT
    explicit Tensor(intrusive_ptr<TensorImpl> impl)
        : tensor_base(nullptr), impl_(std::move(impl)) {}

    // Assignment to a named tensor makes it another handle; to `x[1]` or `x.index(...)` it writes.
    Tensor& operator=(const Tensor& o) & {
        impl_ = o.impl_;
        return *this;
    }
    Tensor& operator=(Tensor&& o) & noexcept {
        impl_ = std::move(o.impl_);
        return *this;
    }
    Tensor& operator=(const Tensor& o) && { return copy_(o); }
    Tensor& operator=(Tensor&& o) && { return copy_(o); }  // NOLINT: a write, which may throw
    Tensor& operator=(const detail::expr_base& e) &&;
    Tensor& operator=(detail::expr_base&& e) &&;
    template <scalar_like S>
    Tensor& operator=(const S& value) && {
        return fill_(value);
    }

    bool defined() const { return static_cast<bool>(impl_); }
    TensorImpl* unsafeGetTensorImpl() const { return impl_.get(); }
    void reset() { impl_.reset(); }

private:
    intrusive_ptr<TensorImpl> impl_;
};

inline Tensor& tensor_base::self() const {
    if (!name_) return const_cast<Tensor&>(static_cast<const Tensor&>(*this));
    return name_(this);
}

template <class Type>
    requires(std::is_same_v<Type, ScalarType> || std::is_same_v<Type, TypeMeta>)
Tensor tensor_base::view(Type dtype) const {
    return view_as_dtype(dtype);
}

#define SINTER_ITEM(T, name, C)                                     \
    extern template SINTER_API T tensor_base::item<T>() const;      \
    extern template SINTER_API T* tensor_base::data_ptr<T>() const; \
    extern template SINTER_API const T* tensor_base::const_data_ptr<T>() const;
SINTER_FOR_EACH_ELEMENT_TYPE(SINTER_ITEM)
#undef SINTER_ITEM

/// Computes several values in one flush, sharing kernels where their ranges agree.
SINTER_API void eval(std::initializer_list<Tensor> tensors);

/// Prints values as libtorch does: elements, then `[ CPUFloatType{2,3} ]`. Runs what is pending.
SINTER_API std::ostream& operator<<(std::ostream& out, const tensor_base& t);

}  // namespace sinter::inline v1
