// What the files of ops share: error texts, checked access to a tensor's body, and programs
// of the library's own. ops turns the public surface into graph nodes; it computes nothing.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/base/fail.hpp"
#include "runtime/types/number_checks.hpp"

#include <sinter/error.hpp>
#include <sinter/expr/expr.hpp>
#include <sinter/stats.hpp>

#include <array>
#include <cstdlib>
#include <span>
#include <string>

namespace sinter::front {

// ---- dimensions and dtypes
/// `dim` from 0; a tensor without dimensions counts as having one. Throws IndexError.
int64_t wrap_dim(const char* op, int64_t dim, int64_t ndim);
/// One bit for each dimension of the list; throws where one is named twice.
uint64_t wrap_dims(const char* op, IntArrayRef dims, int64_t ndim);
/// Throws NotImplementedError of a complex dtype.
void require_real(const char* op, ScalarType dtype);
/// Floating or complex.
constexpr bool is_inexact(ScalarType t) { return isFloatingType(t) || isComplexType(t); }
/// A number as the operand of a row that computes in `dtype`: those of maximum and minimum, which
/// are clamp_min and clamp_max, are bounds.
inline Scalar number_in(const char* op, op::id row, ScalarType dtype, const Scalar& number) {
    const bool is_bound = row == op::maximum || row == op::minimum;
    return is_bound ? bound_in(op, dtype, number, row == op::maximum) : number;
}

// ---- bodies
/// Throws where the tensor is undefined.
const TensorImpl& body(const char* op, const tensor_base& t);
Tensor view_of(const TensorImpl& t, IntArrayRef sizes, IntArrayRef strides, int64_t offset);
/// The newest value, as a node reads it.
leaf read(const TensorImpl& t);
leaf read(const TensorImpl& t, geometry_ptr shape);
/// The index of an element by strides and offset, as a Long.
leaf index_leaf(IntArrayRef sizes, IntArrayRef strides, int64_t offset);
/// The layout of a copy: the strides of a dense tensor, else row-major.
geometry_ptr layout_like(const geometry& g);
/// The layout that a tensor of these sizes has in a format.
geometry_ptr in_format(const char* op, const geometry& g, MemoryFormat format);
bool lies_in_format(const geometry& g, MemoryFormat format);
/// The format that a tensor lies in; of several, the first.
MemoryFormat suggested_format(const geometry& g);
/// The first byte of the storage, at its newest value; runs what is pending.
const char* values(const TensorImpl& t, flush_reason reason);
/// The dtype, and where another tensor is: options of what is made beside it.
TensorOptions beside(const TensorImpl& t, ScalarType dtype);
TensorOptions beside(const tensor_base& t, ScalarType dtype);
/// The bytes of a tensor that nobody else knows yet.
char* fresh(const TensorImpl& t);
/// Calls f(offset in elements) for every element in row-major order.
template <class F>
void for_each_element(const geometry& g, const F& f);
/// Sizes and strides that a view starts from.
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
/// A program in postfix order with its operands.
class sequence {
public:
    sequence& read(leaf l) {
        leaves_[leaf_count_++] = std::move(l);
        return word(token_leaf);
    }
    sequence& number(const Scalar& s) {
        scalars_[scalar_count_++] = s;
        return word(token_scalar);
    }
    sequence& row(op::id id) { return word(id); }
    /// One part of the complex value before: 0 the real one.
    sequence& part(int which) { return word(which == 0 ? token_real : token_imag); }
    /// The two real values before as one of this complex dtype.
    sequence& join(ScalarType dtype) { return word(token_join).word(static_cast<uint16_t>(dtype)); }
    sequence& draw(op::id id, ScalarType dtype) {
        return word(id).word(static_cast<uint16_t>(dtype));
    }
    /// The words and operands of another program after these.
    sequence& append(const sequence& other);
    sequence& cast(ScalarType to) { return word(token_cast).word(static_cast<uint16_t>(to)); }

    const program* code() const;
    /// A new tensor, whose layout is `shape`.
    Tensor pending(ScalarType dtype, geometry_ptr shape);
    /// Gives the elements of `target` these values; the program ends in the target's dtype.
    void write(const TensorImpl& target);

private:
    static constexpr int word_max = 80, leaf_max = 10, scalar_max = 12;
    sequence& word(uint16_t w) {
        words_[word_count_++] = w;
        return *this;
    }
    std::unique_ptr<Node> node(ScalarType dtype, geometry_ptr shape);

    std::array<uint16_t, word_max> words_{};
    std::array<leaf, leaf_max> leaves_;
    std::array<Scalar, scalar_max> scalars_;
    uint16_t word_count_ = 0, leaf_count_ = 0, scalar_count_ = 0;
};

// ---- writing
/// Throws where `target` cannot be written: read-only, or elements that share an address.
void require_writable(const char* op, const TensorImpl& target);
/// Throws where `source` reads elements of the target other than the one it is combined with.
void require_no_partial_overlap(const char* op, const TensorImpl& target, const TensorImpl& source);
/// Throws unless `from` may be stored as `to` by an in-place operation.
void require_castable(const char* op, ScalarType from, ScalarType to);
/// Warns, once in a process, where a conversion drops imaginary parts.
void warn_of_cast(ScalarType from, ScalarType to);
/// Throws unless an in-place result has the shape of its target.
void require_same_shape(const char* op, const TensorImpl& target, IntArrayRef result);

// ---- implementation
template <class F>
void for_each_element(const geometry& g, const F& f) {
    if (g.numel == 0) return;
    std::vector<int64_t> at(static_cast<std::size_t>(g.ndim), 0);
    int64_t offset = g.offset;
    for (;;) {
        f(offset);
        int d = g.ndim - 1;
        for (; d >= 0; --d) {
            const auto i = static_cast<std::size_t>(d);
            offset += g.strides()[d];
            if (++at[i] < g.sizes()[d]) break;
            offset -= g.strides()[d] * g.sizes()[d];
            at[i] = 0;
        }
        if (d < 0) return;
    }
}

}  // namespace sinter::front
