// Helpers of all ops: error texts, checked access to a tensor's body, and the library's programs.
// ops turns the public API into graph nodes; it computes nothing.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/types/number_checks.hpp"

#include <sinter/error.hpp>
#include <sinter/expr/expr.hpp>
#include <sinter/stats.hpp>

#include <boost/container/static_vector.hpp>

#include <array>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

namespace sinter::ops {

// ---- shapes and options
/// Returns "shape [2, 3]", or "a 0-d tensor".
std::string shape_of(const TensorImpl& t);
/// Returns text like "shapes [2, 3] and [3]".
std::string shapes(const TensorImpl& a, const TensorImpl& b);
/// Returns `dim` counted from 0. A tensor without dimensions counts as having one. Throws
/// IndexError.
int64_t wrap_dim(const char* op, int64_t dim, int64_t ndim);
/// Returns one bit for each dimension of the list. Throws Error if one is named twice.
uint64_t wrap_dims(const char* op, IntArrayRef dims, int64_t ndim);
/// Throw E if the tensor has fewer or more than `count` dimensions.
///@{
template <class E = Error>
void require_dims_from(const char* op, const TensorImpl& t, int count, const char* remedy) {
    if (t.shape->ndim < count)
        runtime::fail<E>(op, "the tensor has too few dimensions", shape_of(t),
                         runtime::text("at least ", runtime::count_of(count, "dimension")), remedy);
}
template <class E = Error>
void require_dims_to(const char* op, const TensorImpl& t, int count, const char* remedy) {
    if (t.shape->ndim > count)
        runtime::fail<E>(op, "the tensor has too many dimensions", shape_of(t),
                         runtime::text("at most ", runtime::count_of(count, "dimension")), remedy);
}
///@}
/// Throws E unless the tensor, named by `what` in the error, has one dimension.
template <class E = Error>
void require_vector(const char* op, const TensorImpl& t, const char* what = "the tensor",
                    const char* remedy = "flatten()") {
    if (t.shape->ndim != 1)
        runtime::fail<E>(op, runtime::text(what, " is not a vector"), shape_of(t), "1 dimension",
                         remedy);
}
/// Throws Error unless the tensor has two dimensions.
void require_matrix(const char* op, const TensorImpl& t, const char* remedy);
/// Throws Error: the last two sizes must be equal.
[[noreturn]] void refuse_not_square(const char* op, const TensorImpl& t, const char* remedy);
/// Throws Error: two dimensions that must differ are the same.
[[noreturn]] void refuse_same_dims(const char* op, int64_t a, int64_t b, const char* remedy);
/// Throws E: the tensor has no elements.
template <class E = Error>
[[noreturn]] void refuse_empty(const char* op, const TensorImpl& t, const char* remedy) {
    runtime::fail<E>(op, "the tensor is empty", shape_of(t), "at least 1 element", remedy);
}
/// Throws IndexError: the dimensions that are reduced have no elements.
[[noreturn]] void refuse_empty_dims(const char* op, const TensorImpl& t);
/// Throws Error unless the tensor, named by `what` in the error, has no dimensions.
void require_0d(const char* op, const TensorImpl& t, const char* what, const char* remedy);
/// Throws Error unless the padding has an even number of values.
void require_pairs(const char* op, IntArrayRef padding);
/// Throws Error unless there is one stride for each size and no stride is negative.
void require_strides(const char* op, IntArrayRef sizes, IntArrayRef strides, const char* remedy);
/// Throws E: an option, named by `what` in the error, has none of the `expected` values.
template <class E = Error>
[[noreturn]] void refuse_option(const char* op, const char* what, std::string_view got,
                                const char* expected, const char* standard) {
    runtime::fail<E>(op, runtime::text("the ", what, " is unknown"), runtime::text('"', got, '"'),
                     expected, runtime::text('"', standard, "\", the default"));
}

/// Throws Error: a clamp has neither a min nor a max.
[[noreturn]] void refuse_no_bounds(const char* op);
// ---- dtypes
/// Throw NotImplementedError: require_real for a complex dtype, require_floating for all but
/// floating ones, require_inexact for integers and Bool, require_numeric for Bool.
///@{
void require_real(const char* op, ScalarType dtype);
void require_floating(const char* op, ScalarType dtype);
void require_inexact(const char* op, ScalarType dtype);
void require_numeric(const char* op, ScalarType dtype);
///@}
/// Throws Error if the dtypes differ.
inline void require_same_dtype(const char* op, const TensorImpl& a, const TensorImpl& b) {
    if (a.dtype != b.dtype) runtime::refuse_dtypes(op, a.dtype, b.dtype);
}
/// Returns true for a floating or complex dtype.
constexpr bool is_inexact(ScalarType t) { return isFloatingType(t) || isComplexType(t); }
/// Returns a number as the operand of a row that computes in `dtype`. For maximum and minimum, the
/// number is a bound, as for clamp_min and clamp_max.
inline Scalar number_in(const char* op, op::id row, ScalarType dtype, const Scalar& number) {
    const bool is_bound = row == op::maximum || row == op::minimum;
    return is_bound ? runtime::bound_in(op, dtype, number, row == op::maximum) : number;
}

/// Throws Error unless an operand, named by `what` as a plural in the error, has the dtype.
void require_operand_dtype(const char* op, const char* what, ScalarType dtype, ScalarType wanted);

// ---- bodies
/// Returns the tensor's body. Throws Error if the tensor is undefined.
const TensorImpl& body(const char* op, const tensor_base& t);
Tensor view_of(const TensorImpl& t, IntArrayRef sizes, IntArrayRef strides, int64_t offset,
               const char* op = "tensor");
/// Returns a leaf that reads the tensor's newest value.
leaf read(const TensorImpl& t);
leaf read(const TensorImpl& t, geometry_ptr shape);
/// Returns a leaf whose value is the index of an element (Long), computed from strides and offset.
leaf index_leaf(IntArrayRef sizes, IntArrayRef strides, int64_t offset);
/// Returns the layout of a copy: the strides of `g` if it is dense, else row-major.
geometry_ptr layout_like(const geometry& g);
/// Returns the layout of a tensor of these sizes in a memory format.
geometry_ptr in_format(const char* op, const geometry& g, MemoryFormat format);
bool lies_in_format(const geometry& g, MemoryFormat format);
/// Returns the memory format of a tensor; if several match, the first.
MemoryFormat suggested_format(const geometry& g);
/// Returns the first byte of the storage, at its newest value. Flushes pending work.
const char* values(const TensorImpl& t, flush_reason reason);
/// Returns options with the dtype, and the device of the other tensor.
TensorOptions beside(const TensorImpl& t, ScalarType dtype);
TensorOptions beside(const tensor_base& t, ScalarType dtype);
/// Returns the bytes of a tensor that no other code knows yet.
char* fresh(const TensorImpl& t);
/// Sizes and strides, from which a view is built.
struct dims {
    std::vector<int64_t> sizes, strides;
    explicit dims(const geometry& g) : sizes(g.sizes_ref().vec()), strides(g.strides_ref().vec()) {}
    void erase(int64_t d) {
        sizes.erase(sizes.begin() + d);
        strides.erase(strides.begin() + d);
    }
    void insert(int64_t d, int64_t size, int64_t stride) {
        sizes.insert(sizes.begin() + d, size);
        strides.insert(strides.begin() + d, stride);
    }
};

// ---- programs
/// A program in postfix order, with its operands.
class sequence {
public:
    sequence& read(leaf l) {
        leaves_.push_back(std::move(l));
        return word(token_leaf);
    }
    sequence& number(const Scalar& s) {
        scalars_.push_back(s);
        return word(token_scalar);
    }
    sequence& row(op::id id) { return word(id); }
    /// Takes a part of the complex value before: 0 the real part, 1 the imaginary one.
    sequence& part(int which) { return word(which == 0 ? token_real : token_imag); }
    /// Joins the two real values before into one value of this complex dtype.
    sequence& join(ScalarType dtype) { return word(token_join).word(static_cast<uint16_t>(dtype)); }
    sequence& draw(op::id id, ScalarType dtype) {
        return word(id).word(static_cast<uint16_t>(dtype));
    }
    /// Appends the words and operands of another program.
    sequence& append(const sequence& other);
    sequence& cast(ScalarType to) { return word(token_cast).word(static_cast<uint16_t>(to)); }

    const program* code() const;
    /// Returns a new pending tensor with the layout `shape`.
    Tensor pending(ScalarType dtype, geometry_ptr shape);
    /// Assigns the values to the elements of `target`. The program must end in the target's dtype.
    void write(const TensorImpl& target);

private:
    static constexpr int word_max = 80, leaf_max = 10, scalar_max = 12;
    sequence& word(uint16_t w) {
        words_.push_back(w);
        return *this;
    }
    std::unique_ptr<Node> node(ScalarType dtype, geometry_ptr shape);

    boost::container::static_vector<uint16_t, word_max> words_;
    boost::container::static_vector<leaf, leaf_max> leaves_;
    boost::container::static_vector<Scalar, scalar_max> scalars_;
};

// ---- writing
/// Throws Error if `target` cannot be written: it is read-only, or elements share an address.
void require_writable(const char* op, const TensorImpl& target);
/// Throws Error if `source` reads elements of the target other than the one it is combined with.
void require_no_partial_overlap(const char* op, const TensorImpl& target, const TensorImpl& source);
/// Throws Error unless an in-place operation may store `from` as `to`.
void require_castable(const char* op, ScalarType from, ScalarType to);
template <class E = Error>
[[noreturn]] void refuse_cast(const char* op, ScalarType from, ScalarType to) {
    runtime::fail<E>(
        op, runtime::text("result type ", from, " can't be cast to the desired output type ", to),
        runtime::text("a ", from, " result for a ", to, " tensor"),
        runtime::text("a ", from, " tensor"),
        std::string_view(op).ends_with("_out")
            ? runtime::text("empty({0}, k", from, ") as the output")
            : runtime::text("the out-of-place form, or .to(k", from, ") first"));
}
/// Warns, once per process, if a conversion drops imaginary parts.
void warn_of_cast(ScalarType from, ScalarType to);
/// Throws Error unless an in-place result has the shape of its target.
void require_same_shape(const char* op, const TensorImpl& target, IntArrayRef result);

}  // namespace sinter::ops
