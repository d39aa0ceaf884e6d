// A bias behind a product, which cuBLASLt adds to the sums while it has them.
#pragma once

#include "engine/plan/plan.hpp"

namespace sinter::plan {

/// Joins a product's step with that of the kernel which adds the same vector to each of its rows
/// and does nothing else, where nobody else reads the product: `plan_step::bias` then is the
/// kernel's operand that is the vector, and the step is one call of the library, or the two steps
/// where that cannot be. It stands after the kernels are built, since they show what an operation
/// became, and how it strides; before last reads are found, since it moves and joins steps.
///
/// Half and BFloat16 are rounded once in such a call, and twice apart, so only fast math joins
/// them. Float and Double have the same bits in both (kernels/gpu_linalg/light_product.hpp).
void join_biases(const subgraph& w, plan& p);

/// What is added to `product`, of dense rows of `columns`: elements from one of the vector's to the
/// next, 0 where one is added everywhere. -1 where it is no vector along rows, or the result does
/// not lie as the product does.
int64_t bias_stride(const kernel_step& k, int product, int64_t columns, int& bias);

}  // namespace sinter::plan
