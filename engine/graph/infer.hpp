// Type inference: the dtype that each operation of a program computes in and returns, by PyTorch's
// rules.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/types/dtypes.hpp"

#include <sinter/expr/expr.hpp>

namespace sinter::inline v1 {

/// An operand as promotion sees it: dimensioned tensors take precedence over 0-d tensors, and these
/// over plain numbers.
struct operand_type {
    enum class rank : uint8_t { number, zero_dim, dimensioned };
    ScalarType dtype;
    rank which;
    bool operator==(const operand_type&) const = default;
};

/// One step of a typed program; its operands precede it.
struct typed_op {
    /// `part` and `join` are gone once `split_complex` has run, and so are complex dtypes.
    enum class kind : uint8_t { leaf, scalar, row, cast, part, join };
    kind what;
    uint16_t id;     // leaf or scalar number, or op::id; for `part`: 0 real, 1 imaginary
    ScalarType in;   // row: the dtype it computes in. cast, leaf, scalar: the dtype of the source
    ScalarType out;  // dtype of the result. A scalar is converted to its user's `in` instead
    int32_t args[3];
    uint8_t part = 0;     // complex leaf or scalar: 1 for the imaginary part
    uint16_t origin = 0;  // index of the program's word that this step implements, maybe in part
};

struct typed_program {
    const program* source;
    std::vector<operand_type> leaves;
    ScalarType uniform = ScalarType::Undefined;  // common dtype of all leaves, if none is 0-d
    std::vector<Scalar::kind> scalars;
    std::vector<typed_op> ops;
    std::vector<Scalar> constants;  // scalars added by rewrites, numbered after the program's
    int32_t results[2];             // operations; the second is an imaginary part, or -1
    // Per operation: the last operation that reads it, or -1 if none does. ops.size() for a result
    // that other operations read or that is both results, since it is kept to the end.
    std::vector<int32_t> last_use;
    uint32_t operations;       // number of rows and casts
    int64_t cost;              // per element, in primitives
    ScalarType default_dtype;  // the default dtype that was assumed
    bool fast;                 // written under fast math
};

/// Returns the common dtype of operands.
ScalarType common_dtype(std::span<const operand_type> operands);

struct row_types {
    ScalarType in, out;
};
/// Returns `in` and `out` of a row over operands. Throws, naming the row, if it does not take them.
row_types resolve_row(op::id row, std::span<const operand_type> operands);

/// Result dtype plus one of rows over operands of one dtype, as met so far; 0 if unknown. Holds
/// only results that follow from the row and the dtype alone. Any thread may fill in an entry.
extern constinit std::atomic<uint8_t> known_results[std::size(op::rows)][tensor_dtypes];

/// Returns true if a row over tensors of this geometry may return the same geometry, and a dtype
/// that follows from the row and this dtype.
inline bool is_plain(const geometry& g, ScalarType dtype) {
    return g.ndim > 0 && g.contiguous && g.offset == 0 && !isComplexType(dtype);
}

/// Returns the result dtype of a row over tensors that all have this dtype and this geometry, which
/// is also the geometry of the result. Returns Undefined if `combine` has not met the case yet or
/// must decide it.
inline ScalarType result_of_one_kind(op::id row, const geometry& g, ScalarType dtype) {
    if (!is_plain(g, dtype)) return ScalarType::Undefined;
    const uint8_t known =
        known_results[row][static_cast<int>(dtype)].load(std::memory_order_relaxed);
    return known ? static_cast<ScalarType>(known - 1) : ScalarType::Undefined;
}

/// Returns true if a row over tensors of this dtype and this number computes in the tensors' dtype,
/// and takes the number as it is.
inline bool takes_plainly(op::id row, ScalarType dtype, const Scalar& number) {
    return isFloatingType(dtype) && row != op::maximum && row != op::minimum &&
           (number.type() == kLong || number.type() == kDouble);
}

/// Returns the dtype, and in `shape` the shape, of the result of a row over tensors that are alike,
/// possibly mixed with plain numbers. Returns Undefined if `combine` has not met the case yet or
/// must decide it.
ScalarType combine_alike(op::id row, const detail::meta_view* operands, int arity,
                         const geometry** shape);

/// Returns the dtype of the elements that the shape of the leaf counts.
inline ScalarType dtype_of(const leaf& l) {
    return l.dtype != ScalarType::Undefined ? l.dtype : l.value ? l.value->dtype : kLong;
}

/// Returns the typed form of a program, never freed; equal arguments give the same address. Sets
/// `*uniform` to true if the cheap check shows that all leaves share one geometry object and its
/// `uniform` dtype.
const typed_program* infer(const program* p, std::span<const leaf> leaves,
                           std::span<const Scalar> scalars, bool* uniform);
/// Returns true if this is the typed form for leaves that all have dimensions and the dtype `in`.
bool is_of_alike(const typed_program& t, ScalarType in, std::span<const Scalar> scalars);
/// Returns the operations of a typed program as they were before complex ones were rewritten as
/// real ones.
typed_program infer_unsplit(const typed_program& t);

}  // namespace sinter::inline v1
