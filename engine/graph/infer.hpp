// Types of a program: which dtype each operation computes in and returns. PyTorch's rules, once.
#pragma once

#include "engine/graph/graph.hpp"

#include <sinter/expr/expr.hpp>

namespace sinter::inline v1 {

/// An operand as promotion sees it: dimensioned tensors before 0-d ones before plain numbers.
struct operand_type {
    enum class rank : uint8_t { number, zero_dim, dimensioned };
    ScalarType dtype;
    rank which;
    bool operator==(const operand_type&) const = default;
};

/// One step of a typed program; its operands stand before it.
struct typed_op {
    /// `part` and `join` are gone once `split_complex` has run, and so are complex dtypes.
    enum class kind : uint8_t { leaf, scalar, row, cast, part, join };
    kind what;
    uint16_t id;     // leaf or scalar number, or op::id; of `part` which one
    ScalarType in;   // row: the dtype that it computes in. cast, leaf, scalar: the source's
    ScalarType out;  // of the result. A scalar has the dtype of its user's `in` in place of its own
    int32_t args[3];
    uint8_t part = 0;     // of a leaf or a scalar that is complex: 1 is the imaginary one
    uint16_t origin = 0;  // the word of the program that it stands for, or for a part of which
};

struct typed_program {
    const program* source;
    std::vector<operand_type> leaves;
    ScalarType uniform = ScalarType::Undefined;  // of all leaves, if none is without dimensions
    std::vector<Scalar::kind> scalars;
    std::vector<typed_op> ops;
    std::vector<Scalar> constants;  // scalars of the library's own, numbered after the program's
    int32_t results[2];             // operations; the second is an imaginary part, or -1
    // Per operation the last one that reads it: their number where a result is read by others or is
    // both results, and so is kept to the end; -1 where none reads it.
    std::vector<int32_t> last_use;
    uint32_t operations;       // rows and casts
    int64_t cost;              // of an element, in primitives
    ScalarType default_dtype;  // for which they hold
    bool fast;                 // written under fast math
};

/// The common dtype of operands.
ScalarType common_dtype(std::span<const operand_type> operands);

/// `in` and `out` of a row over operands; throws, naming the row, where they do not fit.
struct row_types {
    ScalarType in, out;
};
row_types resolve_row(op::id row, std::span<const operand_type> operands);

/// One more than the result dtypes of rows over operands of one dtype, as they were met; zeros
/// otherwise. Only those that follow from the row and the dtype alone. Filled in by whichever
/// thread comes first.
extern constinit std::atomic<uint8_t> known_results[std::size(op::rows)]
                                                   [static_cast<int>(ScalarType::Undefined)];

/// Whether the result of a row over tensors of this geometry alone may have the geometry as well,
/// and follows from the row and the dtype.
inline bool is_plain(const geometry& g, ScalarType dtype) {
    return g.ndim > 0 && g.contiguous && g.offset == 0 && !isComplexType(dtype);
}

/// The result dtype of a row over tensors of this dtype and this very geometry, once `combine` has
/// met the like; it has the geometry as well. None (Undefined) where `combine` must be asked.
inline ScalarType result_of_one_kind(op::id row, const geometry& g, ScalarType dtype) {
    if (!is_plain(g, dtype)) return ScalarType::Undefined;
    const uint8_t known =
        known_results[row][static_cast<int>(dtype)].load(std::memory_order_relaxed);
    return known ? static_cast<ScalarType>(known - 1) : ScalarType::Undefined;
}

/// The dtype and shape of the result of a row over operands that differ in nothing but numbers
/// beside them, once `combine` has met the like. None (Undefined) where `combine` must be asked.
ScalarType combine_alike(op::id row, const detail::meta_view* operands, int arity,
                         const geometry** shape);

/// The dtype of the elements that a leaf's shape counts.
inline ScalarType dtype_of(const leaf& l) {
    return l.dtype != ScalarType::Undefined ? l.dtype : l.value ? l.value->dtype : kLong;
}

/// The typed form of a program, never freed; equal arguments give the same address. `uniform`:
/// whether it was seen at a glance that all leaves have one geometry and its `uniform` dtype.
const typed_program* infer(const program* p, std::span<const leaf> leaves,
                           std::span<const Scalar> scalars, bool* uniform);

}  // namespace sinter::inline v1
