// Products of matrices as library operations. All are one batched product: the code that makes the
// node turns vectors into matrices and broadcasts batches by strides of 0.
#pragma once

#include "kernels/kernel_op.hpp"
#include "kernels/linalg/epilogue.hpp"

namespace sinter::blas {

struct product_attributes {
    bool conjugate_a, conjugate_b;
    bool operator==(const product_attributes&) const = default;
};

/// inputs: a (batch..., m, k) and b (batch..., k, n) of the result's dtype and equal batch sizes,
/// in any layout, also overlapping. Result: contiguous (batch..., m, n). BLAS multiplies floating
/// and complex types (Half and BFloat16 in float, rounded once). Integers wrap. Bool has no
/// product. Attributes: product_attributes, or none if nothing is conjugated.
extern const kernel_op matmul_op, mm_op, mv_op, dot_op, bmm_op, vdot_op, inner_op;

/// Returns true for one product of small float or double matrices that takes less time than taking
/// a lock twice. Running it does not throw.
bool is_brief_product(const geometry& a, const geometry& b, const geometry& result,
                      ScalarType dtype);
void run_brief_product(const op_call& call);

/// Computes the same product as `call.op.run`. `before`, if not null, makes the rows of the first
/// operand, which then has no data and is dense. `after`, if not null, takes each piece of the
/// result while it is in cache. If this throws, `after` has taken a part of the result or nothing.
void run_product(const op_call& call, const prologue* before, const epilogue* after);

}  // namespace sinter::blas
