// Tensor, and the methods that tensors and expressions share.
//
// Pointwise methods, reductions and in-place methods are pending until a value is read (item, data
// pointers, printing, saving, eval), and fuse. Views compute nothing. Products are pending library
// calls. Errors in shapes and dtypes are thrown at the call.
#pragma once

#include <sinter/core/array_ref.hpp>
#include <sinter/core/geometry.hpp>
#include <sinter/core/intrusive_ptr.hpp>
#include <sinter/core/tensor_fwd.hpp>
#include <sinter/dtype.hpp>
#include <sinter/error.hpp>
#include <sinter/expr/program.hpp>
#include <sinter/generator.hpp>
#include <sinter/options.hpp>
#include <sinter/scalar.hpp>

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
    /// Returns the sizes, or the strides in elements; one number per dimension. Valid while the
    /// tensor lives and keeps its shape. Every method of this section is answered at once, without
    /// computing the values, and throws Error for an undefined tensor unless it says otherwise.
    ///@{
    IntArrayRef sizes() const;
    IntArrayRef strides() const;
    ///@}
    /// Returns the size, or the stride in elements, of dimension `dim`; negative ones count from
    /// the end. Throws IndexError if there is no such dimension.
    ///@{
    int64_t size(int64_t dim) const;
    int64_t stride(int64_t dim) const;
    ///@}
    /// Returns the number of dimensions, 0 for a number.
    ///@{
    int64_t dim() const;
    int64_t ndimension() const { return dim(); }
    ///@}
    /// Returns the number of elements.
    int64_t numel() const;
    /// Returns the size of one element in bytes.
    ///@{
    std::size_t itemsize() const;
    std::size_t element_size() const { return itemsize(); }
    ///@}
    /// Returns numel() * itemsize(), in bytes.
    std::size_t nbytes() const;
    /// Returns the dtype, as a ScalarType or as libtorch's TypeMeta.
    ///@{
    ScalarType scalar_type() const;
    TypeMeta dtype() const { return TypeMeta(scalar_type()); }
    ///@}
    /// Returns the device that holds the storage.
    Device device() const;
    /// Returns dtype, device and layout, to make a tensor that has the same ones.
    TensorOptions options() const;
    /// Returns true if the elements are dense in row-major order, or in the order of `format`.
    ///@{
    bool is_contiguous() const;
    bool is_contiguous(MemoryFormat format) const;
    ///@}
    /// Returns the format whose order the strides have: Contiguous, ChannelsLast or ChannelsLast3d.
    MemoryFormat suggest_memory_format(bool channels_last_strides_exact_match = false) const;
    /// Returns the index of the GPU, -1 for the CPU.
    int64_t get_device() const;
    /// Returns true if the dtype is of this kind.
    ///@{
    bool is_floating_point() const { return isFloatingType(scalar_type()); }
    bool is_complex() const { return isComplexType(scalar_type()); }
    bool is_signed() const { return isSignedType(scalar_type()); }
    ///@}
    /// Returns the offset of the first element in the storage, in elements.
    int64_t storage_offset() const;
    /// Returns true if there is a tensor; false only for a default-constructed or reset one.
    bool defined() const;
    /// Returns true if both are handles of one tensor. Two views of one storage are not.
    bool is_same(const tensor_base& other) const;
    /// Returns true if both see the same storage.
    bool is_alias_of(const tensor_base& other) const;
    /// Returns the number of in-place changes that the storage has seen. Throws Error for an
    /// inference tensor.
    uint64_t _version() const;
    /// Returns true if the tensor, or what it is a view of, was made in inference mode.
    bool is_inference() const;
    /// Returns true if the tensor is defined.
    bool has_storage() const { return defined(); }
    /// Returns kStrided, the only layout.
    Layout layout() const;
    /// Returns true if the tensor is on a device of this type.
    ///@{
    bool is_cpu() const { return device().is_cpu(); }
    bool is_cuda() const { return device().is_cuda(); }
    ///@}
    /// Returns the tensor in pinned main memory, from which copies to a GPU run without the CPU
    /// waiting: the same tensor if it is pinned, else a copy, made at once. Throws Error without a
    /// GPU, and for a tensor on one.
    Tensor pin_memory(optional<Device> device = nullopt) const;
    /// Returns true if the tensor is in pinned main memory.
    bool is_pinned(optional<Device> device = nullopt) const;
    /// Declares that the program's own work on stream `s` uses the memory. The memory is not reused
    /// before the work that is on the stream when the tensor dies has ended. Throws Error for a
    /// tensor on the CPU.
    void record_stream(const Stream& s) const;
    /// Returns true if the elements fill a range of memory and no two share an address.
    bool is_non_overlapping_and_dense() const;
    /// Returns true if both have the same sizes.
    bool is_same_size(const tensor_base& other) const;
    /// Returns the name of libtorch's tensor type, such as "CPUFloatType"; "UndefinedType" for an
    /// undefined tensor.
    std::string toString() const;

    // ---- differentiation (autograd.hpp)
    /// Returns true if gradients of this tensor are recorded: it is a leaf that requires them, or
    /// was computed from one.
    bool requires_grad() const;
    /// Makes a leaf require a gradient, or not. Returns this tensor. Throws Error for a dtype that
    /// is neither floating nor complex, for `false` on a tensor that was computed from others, and
    /// for `true` on an inference tensor outside of InferenceMode.
    ///@{
    Tensor& requires_grad_(bool on = true) const;
    Tensor& set_requires_grad(bool on) const { return requires_grad_(on); }
    ///@}
    /// Returns true if no recorded operation made the tensor.
    bool is_leaf() const;
    /// Adds the gradient of this tensor to the `grad()` of the leaves that it depends on. Pending:
    /// gradients are computed when they are read. `gradient` is that of this tensor, 1 by default
    /// if it has one element. Saved values are freed unless `retain_graph`; with `create_graph` the
    /// gradients have gradients. Throws Error as autograd::backward.
    ///@{
    void backward() const;
    void backward(const Tensor& gradient, optional<bool> retain_graph = nullopt,
                  bool create_graph = false) const;
    void backward(const Tensor& gradient, optional<bool> retain_graph, bool create_graph,
                  const std::vector<Tensor>& inputs) const;
    ///@}
    /// Returns the gradient that has been added up, undefined if there is none.
    Tensor grad() const;
    /// Returns the gradient, to be changed.
    Tensor& mutable_grad() const;
    /// Makes backward() keep the gradient of a tensor that is no leaf. Throws Error if the tensor
    /// does not require a gradient.
    void retain_grad() const;
    /// Returns true if retain_grad() was called.
    bool retains_grad() const;
    /// Returns the node of the gradient graph that made the tensor, null for a leaf.
    intrusive_ptr<autograd::Node> grad_fn() const;
    /// Returns which result of grad_fn() the tensor is.
    int64_t output_nr() const;
    /// Adds a function that is called with the tensor's gradient when it is known, and may return
    /// another one in its place. Returns a number for remove_hook(). Throws Error if the tensor
    /// does not require a gradient.
    template <class F>
    unsigned register_hook(F&& hook) const;
    /// Removes a hook of a leaf.
    void remove_hook(unsigned number) const;
    /// Returns true if the tensor is a view of another one. detach() makes none.
    bool is_view() const;
    /// Returns the tensor of which this is a view. Throws Error if it is none.
    Tensor _base() const;

    // ---- storage (storage.hpp, accessor.hpp)
    /// Returns the elements of the storage, which all views of it share. Computes pending values at
    /// once; the memory becomes external for good, unless it is read-only.
    TypedStorage storage() const;
    /// Returns an accessor to the elements by N indices, without bounds checks. Computes pending
    /// values at once; the memory becomes external unless T is const. Throws Error if dtype or
    /// number of dimensions differ.
    ///@{
    template <class T, std::size_t N>
    TensorAccessor<T, N> accessor() const&;
    template <class T, std::size_t N>
    TensorAccessor<T, N> accessor() && = delete;
    ///@}

#define SINTER_PACKED(name, I)                                                             \
    template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits> \
    GenericPackedTensorAccessor<T, N, PtrTraits, I> name() const&;                         \
    template <class T, std::size_t N, template <class> class PtrTraits = DefaultPtrTraits> \
    GenericPackedTensorAccessor<T, N, PtrTraits, I> name()&& = delete;
    /// Returns an accessor that holds copies of sizes and strides, with indices of 64 or 32 bits.
    /// As accessor(); throws Error if 32 bits do not count the elements.
    ///@{
    SINTER_PACKED(packed_accessor64, int64_t)
    SINTER_PACKED(packed_accessor32, int32_t)
    ///@}
#undef SINTER_PACKED
    /// Returns another handle of the storage, as detach().
    Tensor data() const;
    /// Makes all handles of this tensor see the storage of `other`, with its sizes, strides and
    /// dtype.
    void set_data(const tensor_base& other) const;
    /// Makes all handles of this tensor see `source`, or the given part of its storage (sizes and
    /// strides in elements, contiguous without strides); without arguments, an empty tensor.
    /// Returns this tensor. Throws TypeError if the dtypes differ, and Error if the part needs more
    /// memory than a storage that cannot grow has.
    ///@{
    Tensor& set_(const tensor_base& source) const;
    Tensor& set_(const TypedStorage& source) const;
    Tensor& set_(const TypedStorage& source, int64_t storage_offset, IntArrayRef sizes,
                 IntArrayRef strides = {}) const;
    Tensor& set_(const tensor_base& source, int64_t storage_offset, IntArrayRef sizes,
                 IntArrayRef strides = {}) const;
    Tensor& set_() const;
    ///@}
    /// Gives this tensor other sizes over the same memory, contiguous or in `format`; if the memory
    /// is too small, it grows and the new elements are undefined. Returns this tensor. Throws Error
    /// if memory that Sinter does not own would have to grow.
    ///@{
    Tensor& resize_(IntArrayRef sizes, optional<MemoryFormat> format = nullopt) const;
    Tensor& resize_as_(const tensor_base& other, optional<MemoryFormat> format = nullopt) const;
    ///@}

    // ---- values: these run what is pending
    /// Returns the only element, converted to T. Computes it at once. Throws Error if there is not
    /// exactly one element or if T does not hold its value.
    ///@{
    template <class T>
    T item() const;
    Scalar item() const;
    ///@}
    /// Returns true if the only element is not 0. Computes it at once. Throws Error if there is not
    /// exactly one element.
    bool is_nonzero() const;
    // `if (t)`, `!t` and `a && b` do not compile. Compilers show this line, so it says what to
    // write:
    /// Deleted: `if (t)`, `!t` and `a && b` do not compile.
    explicit operator bool() const = delete;  // is_nonzero(), item<bool>(), logical_and()
    /// Computes the value at once; returns this tensor.
    Tensor& eval() const;
    /// Returns the address of the first element, valid until resize_ or set_. Computes pending
    /// values at once; the memory becomes external for good (docs/laziness.md). Throws Error if T
    /// is not the dtype's type, and for read-only memory. A const T is const_data_ptr<T>().
    ///@{
    void* data_ptr() const;
    template <class T>
    T* data_ptr() const;
    ///@}
    /// data_ptr(), by libtorch's newer name.
    ///@{
    void* mutable_data_ptr() const { return data_ptr(); }
    template <class T>
    T* mutable_data_ptr() const {
        return data_ptr<T>();
    }
    ///@}
    /// Returns the address of the first element for reading, valid until the tensor is written or
    /// dies. Computes pending values at once; the memory does not become external. Throws Error if
    /// T is not the dtype's type.
    ///@{
    const void* const_data_ptr() const;
    template <class T>
    const T* const_data_ptr() const;
    ///@}

    // ---- views: share storage; sizes, dims and indices as in PyTorch, negative ones from the end
    /// Returns a view of these sizes, of which one may be -1. Throws Error if the numbers of
    /// elements differ or the strides need a copy.
    Tensor view(IntArrayRef sizes) const;
    /// Returns a view of the same bytes as elements of `dtype`. If their size differs, the last
    /// dimension grows or shrinks; Error is thrown if it is not dense or not divisible.
    template <class Type>
        requires(std::is_same_v<Type, ScalarType> || std::is_same_v<Type, TypeMeta>)
    Tensor view(Type dtype) const;  // a template: empty braces are no dtype
    /// Returns a view of these sizes where possible, else a pending copy. One size may be -1.
    /// Throws Error if the numbers of elements differ.
    Tensor reshape(IntArrayRef sizes) const;
    /// Returns the tensor with dimensions start_dim to end_dim joined into one: a view where
    /// possible, else a pending copy.
    Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) const;
    /// Returns a view with two dimensions swapped; a 0-d tensor counts as having one. Throws
    /// IndexError if there is no such dimension.
    Tensor transpose(int64_t dim0, int64_t dim1) const;
    /// Returns the transposed matrix; a vector or number as it is. Throws Error above 2 dimensions.
    Tensor t() const;
    /// Returns a view whose dimension i is dimension dims[i]. Throws Error unless `dims` names each
    /// dimension once, and IndexError if there is no such dimension.
    Tensor permute(IntArrayRef dims) const;
    /// Returns the elements start, start + step, ... before `end` of a dimension. Bounds are
    /// clipped; the step is positive.
    Tensor slice(int64_t dim = 0, optional<int64_t> start = nullopt,
                 optional<int64_t> end = nullopt, int64_t step = 1) const;
    /// Returns the part at `index` of a dimension, without that dimension.
    Tensor select(int64_t dim, int64_t index) const;
    /// Returns `length` elements of a dimension from `start` on. A start in a 0-d tensor is read at
    /// once.
    ///@{
    Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
    Tensor narrow(int64_t dim, const tensor_base& start, int64_t length) const;
    ///@}
    /// Returns a view in which dimensions of size 1 repeat (stride 0), with new dimensions in
    /// front; -1 keeps a size. Throws Error if the sizes do not broadcast.
    ///@{
    Tensor expand(IntArrayRef sizes, bool implicit = false) const;
    Tensor expand_as(const tensor_base& other) const;
    ///@}
    /// Returns a view without dimensions of size 1: without all of them, or those among the named
    /// ones. Throws IndexError if there is no such dimension, and Error if one is named twice.
    ///@{
    Tensor squeeze() const;
    Tensor squeeze(int64_t dim) const;
    Tensor squeeze(IntArrayRef dims) const;
    ///@}
    /// Returns a view with a new dimension of size 1 at `dim`, which counts in the result. Throws
    /// IndexError if it is out of range.
    Tensor unsqueeze(int64_t dim) const;
    /// Returns the diagonal of two dimensions, as a last dimension in their place; offset > 0 is
    /// above the main one. Throws Error if dim1 and dim2 are the same, and IndexError if there is
    /// no such dimension.
    Tensor diagonal(int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) const;
    /// Returns the windows of `size` elements of a dimension, `step` apart; the elements of a
    /// window are a new last dimension, and the dimension's size becomes the number of windows.
    /// Throws Error if a window does not fit or the step is not positive, and IndexError if there
    /// is no such dimension.
    Tensor unfold(int64_t dim, int64_t size, int64_t step) const;
    /// Returns a view of the storage with these sizes, strides and offset, in elements. Throws
    /// Error for a negative stride or if it leaves the storage.
    Tensor as_strided(IntArrayRef sizes, IntArrayRef strides,
                      optional<int64_t> storage_offset = nullopt) const;
    /// Returns another tensor over the same storage, which requires no gradient.
    Tensor detach() const;
    /// Returns the part at an index of dimension 0, without that dimension; an index in a 0-d
    /// tensor is read at the call. Throws IndexError for a 0-d tensor, an index out of range, a
    /// Scalar that is no integer and a tensor with dimensions.
    ///@{
    Tensor operator[](int64_t index) const;
    Tensor operator[](const Scalar& index) const;
    Tensor operator[](const tensor_base& index) const;
    ///@}
    /// Returns the selected elements. Integers, slices, None and Ellipsis give a view. With tensors
    /// and masks it is a pending copy (opaque; masks are read at the call): the dimensions of the
    /// tensors, broadcast, stand where the first one was if they are neighbours, else in front.
    ///@{
    Tensor index(std::initializer_list<TensorIndex> indices) const;
    Tensor index(ArrayRef<TensorIndex> indices) const;
    ///@}
    /// view() or reshape() to the sizes of `other`. Throws Error if the numbers of elements differ;
    /// view_as also if the strides need a copy.
    ///@{
    Tensor view_as(const tensor_base& other) const;
    Tensor reshape_as(const tensor_base& other) const;
    ///@}
    /// Returns all elements in one dimension: a view if the tensor is contiguous, else a pending
    /// copy.
    Tensor ravel() const;
    /// Returns a view with several sizes in place of one dimension's; one of them may be -1.
    Tensor unflatten(int64_t dim, IntArrayRef sizes) const;
    /// Returns a view with all dimensions in reverse order. Takes any tensor.
    ///@{
    Tensor numpy_T() const;
    Tensor T() const;
    ///@}
    /// Returns a view with the last two dimensions swapped; a number as it is. Throws Error for a
    /// vector.
    Tensor mT() const;
    /// mT() conjugated: a view of a real tensor, pending (fused) of a complex one, with the last
    /// two dimensions swapped. Throws Error for a vector.
    ///@{
    Tensor mH() const;
    Tensor adjoint() const;
    ///@}
    /// mH() of one matrix; a number as it is. Throws Error above 2 dimensions and for a vector.
    ///@{
    Tensor matrix_H() const;
    Tensor H() const;
    ///@}
    /// Returns a view in which dimension source[i] becomes dimension destination[i]; the others
    /// keep their order.
    ///@{
    Tensor movedim(int64_t source, int64_t destination) const;
    Tensor movedim(IntArrayRef source, IntArrayRef destination) const;
    Tensor moveaxis(int64_t source, int64_t destination) const;
    Tensor moveaxis(IntArrayRef source, IntArrayRef destination) const;
    ///@}
    /// transpose(), by NumPy's names.
    ///@{
    Tensor swapaxes(int64_t axis0, int64_t axis1) const;
    Tensor swapdims(int64_t dim0, int64_t dim1) const;
    ///@}
    /// expand(), by NumPy's name.
    Tensor broadcast_to(IntArrayRef sizes) const;
    /// Returns views of the parts that the function of this name in shape.hpp describes.
    ///@{
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
    ///@}

    // ---- other sizes and strides for this tensor and all its handles; storage is untouched
    /// Changes sizes and strides of this tensor and of all its handles, as the method without the
    /// underscore does; the storage is untouched. At once; returns this tensor.
    ///@{
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
    Tensor& detach_() const;
    ///@}

    // ---- copies
    /// narrow(), copied: fused.
    Tensor narrow_copy(int64_t dim, int64_t start, int64_t length) const;
    /// Returns a copy with the elements in reverse order along these dimensions, in the tensor's
    /// sizes. Throws IndexError if there is no such dimension, and Error if one is named twice.
    Tensor flip(IntArrayRef dims) const;
    /// Returns a copy, in the tensor's sizes, with the elements shifted along dimensions, or in
    /// row-major order without them; those shifted out come in at the other end. Throws Error if
    /// shifts and dims differ in number, and IndexError if there is no such dimension.
    Tensor roll(IntArrayRef shifts, IntArrayRef dims = {}) const;
    /// Returns a copy rotated k times by 90 degrees from the first of two dimensions towards the
    /// second; their sizes change places if k is odd. Throws Error unless two different dimensions
    /// are named and below 2 dimensions, and IndexError if there is no such dimension.
    Tensor rot90(int64_t k = 1, IntArrayRef dims = {0, 1}) const;
    /// flip() of dimension 1 (fliplr) or 0 (flipud). Throws Error if it is missing.
    ///@{
    Tensor fliplr() const;
    Tensor flipud() const;
    ///@}
    /// Returns the whole tensor `repeats` times in each dimension, new ones in front; sizes
    /// multiply. `repeat` throws Error if there are fewer repeats than dimensions; `tile` takes the
    /// missing ones as 1. Throws Error for a negative number.
    ///@{
    Tensor repeat(IntArrayRef repeats) const;
    Tensor tile(IntArrayRef repeats) const;
    ///@}
    /// Returns each element `repeats` times in a row, along `dim` or of the flattened tensor:
    /// fused.
    Tensor repeat_interleave(int64_t repeats, optional<int64_t> dim = nullopt,
                             optional<int64_t> output_size = nullopt) const;
    /// Returns each element, or slice of `dim`, as often as `repeats` says: opaque; the repeats are
    /// read at once.
    Tensor repeat_interleave(const tensor_base& repeats, optional<int64_t> dim = nullopt,
                             optional<int64_t> output_size = nullopt) const;
    /// Returns a copy in which `source` replaces the part that select(), slice(), diagonal() or
    /// as_strided() with these arguments would give: fused. Throws Error unless `source` has the
    /// sizes of that part.
    ///@{
    Tensor select_scatter(const tensor_base& source, int64_t dim, int64_t index) const;
    Tensor slice_scatter(const tensor_base& source, int64_t dim = 0,
                         optional<int64_t> start = nullopt, optional<int64_t> end = nullopt,
                         int64_t step = 1) const;
    Tensor diagonal_scatter(const tensor_base& source, int64_t offset = 0, int64_t dim1 = 0,
                            int64_t dim2 = 1) const;
    Tensor as_strided_scatter(const tensor_base& source, IntArrayRef sizes, IntArrayRef strides,
                              optional<int64_t> storage_offset = nullopt) const;
    ///@}
    /// Returns the matrix with this diagonal, or a matrix's diagonal: the functions of these names
    /// in shape.hpp.
    ///@{
    Tensor diag(int64_t diagonal = 0) const;
    Tensor diag_embed(int64_t offset = 0, int64_t dim1 = -2, int64_t dim2 = -1) const;
    Tensor diagflat(int64_t offset = 0) const;
    ///@}
    /// Returns the tensor with zeros below (triu) or above (tril) a diagonal of the last two
    /// dimensions: fused. Throws Error below 2 dimensions.
    ///@{
    Tensor triu(int64_t diagonal = 0) const;
    Tensor tril(int64_t diagonal = 0) const;
    ///@}
    /// Returns the same tensor if it is contiguous (in that format), else a pending copy of its
    /// sizes that is. Throws Error for Preserve unless it is contiguous, and for ChannelsLast
    /// (ChannelsLast3d) unless there are 4 (5) dimensions.
    ///@{
    Tensor contiguous() const;
    Tensor contiguous(MemoryFormat format) const;
    ///@}
    /// Returns a pending copy of the tensor's sizes over storage of its own; it keeps the order of
    /// dimensions in memory unless a format is given. Throws Error for ChannelsLast
    /// (ChannelsLast3d) unless there are 4 (5) dimensions.
    ///@{
    Tensor clone() const;
    Tensor clone(optional<MemoryFormat> format) const;
    ///@}
    /// Returns the tensor, in its sizes, with this dtype, device and format: the same tensor if it
    /// has them and `copy` is false, else a pending (fused) conversion. A copy to another device
    /// runs pending operations at the call. A `non_blocking` one from pinned memory, or to the CPU,
    /// does not wait for the GPU: reads of the result do, but whoever holds a pointer must
    /// synchronise the stream. Throws Error if the device does not exist or the format does not fit
    /// the number of dimensions, and NotImplementedError for a dtype that tensors cannot have.
    ///@{
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
              optional<MemoryFormat> format = nullopt) const;
    ///@}
    /// to(dtype), by older names, in the tensor's sizes. Throws NotImplementedError for a dtype
    /// that tensors cannot have.
    ///@{
    Tensor toType(ScalarType dtype) const;
    Tensor type(ScalarType dtype) const;
    Tensor type_as(const tensor_base& other) const;
    ///@}
    /// Returns the tensor, in its sizes, on the CPU or on GPU `index` (-1 is the current one): the
    /// same tensor if it is there, else a copy, for which pending operations run at the call.
    /// Throws Error if there is no such GPU.
    ///@{
    Tensor cpu() const;
    Tensor cuda(int8_t index = -1, bool non_blocking = false) const;
    ///@}

    // ---- new tensors of this one's dtype, unless the options name one
    /// Returns a new tensor of these sizes with this one's dtype and device unless the options name
    /// others: the functions empty, zeros, ones, full and tensor. Throws Error for a negative size,
    /// and ValueError if the dtype does not hold a number.
    ///@{
    Tensor new_empty(IntArrayRef sizes, const TensorOptions& options = {}) const;
    Tensor new_zeros(IntArrayRef sizes, const TensorOptions& options = {}) const;
    Tensor new_ones(IntArrayRef sizes, const TensorOptions& options = {}) const;
    Tensor new_full(IntArrayRef sizes, const Scalar& value,
                    const TensorOptions& options = {}) const;
    Tensor new_tensor(const number_list& values, const TensorOptions& options = {}) const;
    Tensor new_tensor(std::initializer_list<number_list> values,
                      const TensorOptions& options = {}) const;
    ///@}

    // ---- pointwise, one method for each row and alias
#define SINTER_UNARY(name, row)       \
    unary_expr<op::row> name() const; \
    Tensor& name##_() const;
#define SINTER_BINARY(name, row)                               \
    binary_expr<op::row> name(const tensor_base& other) const; \
    scalar_expr<op::row> name(const Scalar& other) const;      \
    Tensor& name##_(const tensor_base& other) const;           \
    Tensor& name##_(const Scalar& other) const;
// Returns the function of this name of each element, or of each pair of elements, whose sizes
// broadcast and whose dtypes are promoted: an expression, pending and fused. docs/functions.md
// lists the dtypes. A form with an underscore writes this tensor and returns it. Throws Error if
// the shapes do not broadcast, if the dtype is refused, or if the result's dtype cannot be cast to
// this tensor's.
#include <sinter/expr/each_row.inc>
#undef SINTER_UNARY
#undef SINTER_BINARY
    /// Returns this + alpha * other, or this - alpha * other: fused. Throws Error if alpha does not
    /// fit the dtype (a fraction for integers).
    ///@{
    Tensor add(const tensor_base& other, const Scalar& alpha) const;
    Tensor sub(const tensor_base& other, const Scalar& alpha) const;
    Tensor& add_(const tensor_base& other, const Scalar& alpha) const;
    Tensor& sub_(const tensor_base& other, const Scalar& alpha) const;
    ///@}
    /// Returns each element to the power of the exponent: fused. The numbers -2, -1, -0.5, 0, 0.5,
    /// 1, 2 and 3 become cheaper operations. Throws Error for a negative number as exponent of
    /// integers.
    ///@{
    Tensor pow(const Scalar& exponent) const;
    Tensor pow(const tensor_base& exponent) const;
    Tensor& pow_(const Scalar& exponent) const;
    Tensor& pow_(const tensor_base& exponent) const;
    ///@}
    /// Returns each element within [min, max], NaN as NaN; max wins if min > max. Fused. Throws
    /// Error if there is no bound.
    ///@{
    Tensor clamp(const optional<Scalar>& min, const optional<Scalar>& max = nullopt) const;
    Tensor& clamp_(const optional<Scalar>& min, const optional<Scalar>& max = nullopt) const;
    Tensor clip(const optional<Scalar>& min, const optional<Scalar>& max = nullopt) const;
    Tensor& clip_(const optional<Scalar>& min, const optional<Scalar>& max = nullopt) const;
    ///@}
    /// Returns this tensor's element where the condition is true, else that of `other`, element by
    /// element; sizes broadcast. Throws Error if they do not or the condition is neither Bool nor
    /// Byte.
    Tensor where(const tensor_base& condition, const tensor_base& other) const;

    // ---- in place: write the storage, through any view of it; return this tensor
    /// Writes the elements of `source`, which broadcasts and is converted; returns this tensor.
    /// Pending, fused; a source on another device, and `non_blocking`, as in to(). An expression is
    /// computed straight into this storage. Like all methods that write: it writes the storage
    /// through any view. Throws Error if the memory is read-only, if elements of this tensor share
    /// an address, or if a dense source partly overlaps it.
    ///@{
    Tensor& copy_(const tensor_base& source, bool non_blocking = false) const;
    Tensor& copy_(detail::expr_base&& source) const;
    ///@}
    /// Sets all elements to a number, or to a 0-d tensor; returns this tensor. Throws ValueError if
    /// the dtype does not hold the number, Error for a tensor with dimensions, and if the memory is
    /// read-only.
    ///@{
    Tensor& fill_(const Scalar& value) const;
    Tensor& fill_(const tensor_base& value) const;
    Tensor& zero_() const;
    ///@}
    /// Sets the elements whose indices are all equal; `wrap` starts a tall matrix's diagonal again
    /// below each square. Fused; returns this tensor. Throws Error below 2 dimensions, and above 2
    /// if the sizes differ.
    Tensor& fill_diagonal_(const Scalar& value, bool wrap = false) const;
    /// Sets the elements below (triu_) or above (tril_) a diagonal of the last two dimensions to 0:
    /// fused. Returns this tensor.
    ///@{
    Tensor& triu_(int64_t diagonal = 0) const;
    Tensor& tril_(int64_t diagonal = 0) const;
    ///@}

    // ---- the methods of gathering.hpp, random.hpp, reductions.hpp, scans.hpp, sorting.hpp,
    // products.hpp
    // ---- and linalg.hpp, and the pointwise ones that take parameters
#include <sinter/expr/methods.inc>

    // ---- operators that write
    /// Writes this tensor as the method add_, sub_, mul_, div_, bitwise_and_, bitwise_or_ or
    /// bitwise_xor_ does; returns it.
    ///@{
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
    ///@}

    // ---- inside the library
    /// Returns the tensor itself, or the one that this expression names.
    Tensor& self() const;

protected:
    /// For Tensor and the expressions: `name` finds or makes the tensor of an expression; it is
    /// null for a Tensor.
    ///@{
    using name_fn = Tensor& (*)(const tensor_base*);
    explicit tensor_base(name_fn name) : name_(name) {}
    tensor_base(const tensor_base& o) = default;
    tensor_base& operator=(const tensor_base&) { return *this; }  // `name_` belongs to the type
    ///@}
    ~tensor_base() = default;

private:
    Tensor view_as_dtype(ScalarType dtype) const;
    name_fn name_;
};

/// Satisfied by Tensor and by every expression.
template <class T>
concept tensor_like = std::is_base_of_v<tensor_base, std::remove_cvref_t<T>>;
/// Satisfied by the types that convert to Scalar: numbers, Scalar, C++ types of elements and
/// complex numbers.
template <class T>
concept scalar_like = std::is_arithmetic_v<std::remove_cvref_t<T>> ||
                      std::is_same_v<std::remove_cvref_t<T>, Scalar> ||
                      requires { scalar_type_of<std::remove_cvref_t<T>>::value; } ||
                      detail::standard_complex<std::remove_cvref_t<T>>;

/// A handle of a strided array; copies share it. The elements are in a storage, which views share.
/// A default-constructed Tensor is undefined: every use but `defined()` throws Error.
class SINTER_API Tensor : public tensor_base {
public:
    /// Makes an undefined tensor.
    Tensor() : tensor_base(nullptr) {}
    /// Makes another handle of the same tensor; a moved-from tensor is undefined.
    ///@{
    Tensor(const Tensor& o) = default;
    Tensor(Tensor&& o) noexcept : tensor_base(nullptr), impl_(std::move(o.impl_)) {}
    ///@}
    /// Drops the handle. Computes nothing.
    ~Tensor() = default;
    /// Makes the pending tensor of an expression. Throws Error if the shapes or dtypes do not fit.
    ///@{
    Tensor(const detail::expr_base& e);  // NOLINT
    Tensor(detail::expr_base&& e);       // NOLINT
    ///@}
    /// Makes a handle of the library's object.
    explicit Tensor(intrusive_ptr<TensorImpl> impl)
        : tensor_base(nullptr), impl_(std::move(impl)) {}

    // Assignment to a named tensor makes it another handle; to `x[1]` or `x.index(...)` it writes.
    /// Makes a named tensor another handle of `o`. Assigned to a temporary, such as `x[1]` or
    /// `x.index(...)`, the value is written there: copy_() or fill_().
    ///@{
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
    ///@}

    /// Returns true unless the tensor is undefined.
    bool defined() const { return static_cast<bool>(impl_); }
    /// Returns the library's object, null if undefined.
    TensorImpl* unsafeGetTensorImpl() const { return impl_.get(); }
    /// Makes this handle undefined.
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

/// @cond
#define SINTER_DTYPE(type, ...)                                           \
    extern template SINTER_API type tensor_base::item<type>() const;      \
    extern template SINTER_API type* tensor_base::data_ptr<type>() const; \
    extern template SINTER_API const type* tensor_base::const_data_ptr<type>() const;
#define SINTER_COMPLEX_DTYPE SINTER_DTYPE
#include <sinter/core/dtype.def>
/// @endcond

/// Computes several values at once, in one flush, sharing kernels where their ranges agree. Throws
/// Error for an undefined tensor, and the errors of the values. PyTorch: none.
///@{
SINTER_API void eval(std::initializer_list<Tensor> tensors);
SINTER_API void eval(const std::vector<Tensor>& tensors);
///@}

/// Prints values as libtorch does: elements, then `[ CPUFloatType{2,3} ]`. Computes pending values
/// at once.
SINTER_API std::ostream& operator<<(std::ostream& out, const tensor_base& t);

}  // namespace sinter::inline v1
