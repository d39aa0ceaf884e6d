// A bias added after a product, which cuBLASLt fuses as an epilogue.
#pragma once

#include "engine/plan/plan.hpp"

namespace sinter::plan {

/// Joins a product's step with a kernel that only adds the same vector to each of its rows, if
/// nothing else reads the product. `plan_step::bias` is then the kernel's operand for the vector.
/// The step runs as one library call, or as the two original steps if that is impossible. Runs
/// after the kernels are built, because it inspects their operations and strides, and before last
/// reads are found, because it moves and joins steps.
///
/// Half and BFloat16 are rounded once in such a call, but twice in two steps, so only fast math
/// joins them. Float and Double give the same bits (kernels/gpu_linalg/light_product.hpp).
void join_biases(const subgraph& w, plan& p);

/// Returns the stride, in elements, of the vector that the kernel adds to each row of `product`,
/// whose dense rows have `columns` elements; 0 if it adds one element everywhere. Sets `bias` to
/// the operand number. Returns -1 if the operand is not such a vector or the result is laid out
/// differently from the product.
int64_t bias_stride(const kernel_step& k, int product, int64_t columns, int& bias);

}  // namespace sinter::plan
