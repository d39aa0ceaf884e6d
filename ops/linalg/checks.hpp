// Checks of the operands of linear algebra, and their memory layout.
#pragma once

#include "ops/products/products.hpp"

#include <vector>

namespace sinter::ops {

/// Returns the body of a batch of matrices with a dtype that LAPACK has. Throws Error.
const TensorImpl& matrices(const char* op, const tensor_base& t);
/// The same for square matrices.
const TensorImpl& square_matrices(const char* op, const tensor_base& t);
/// Throws Error unless the dtype is Float, Double or a complex type of these.
void require_lapack_dtype(const char* op, ScalarType dtype);
inline constexpr const char* lapack_dtypes = "Float, Double, ComplexFloat or ComplexDouble";
inline constexpr const char* matrix_orders = "\"fro\", \"nuc\", 1, -1, 2, -2, inf or -inf";
/// Throws Error: the right-hand side of a system does not have `count` rows, or columns if it is
/// on the left.
[[noreturn]] void refuse_right_side(const char* op, const TensorImpl& a, const TensorImpl& b,
                                    int64_t count, bool left = true);
/// Throws Error unless the pivots are Int and have these sizes. `from` returns such pivots.
void require_pivots(const char* op, const TensorImpl& a, const TensorImpl& pivots,
                    IntArrayRef sizes, const char* from);

inline int64_t rows(const TensorImpl& t) { return t.shape->sizes()[t.shape->ndim - 2]; }
inline int64_t cols(const TensorImpl& t) { return t.shape->sizes()[t.shape->ndim - 1]; }
/// Returns all sizes but the last `item_dims`.
inline IntArrayRef batch_of(const TensorImpl& t, int item_dims = 2) {
    return {t.shape->sizes(), static_cast<std::size_t>(t.shape->ndim - item_dims)};
}

/// Returns true if a column-major copy of the transposed matrices costs less than one of the
/// matrices.
bool lies_by_rows(const TensorImpl& t);

}  // namespace sinter::ops
