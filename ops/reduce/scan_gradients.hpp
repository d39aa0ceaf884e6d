// Gradients of scans along a dimension.
#pragma once

#include "ops/common/op_checks.hpp"

namespace sinter::ops {

/// Returns the sum of each element and those behind it.
Tensor sums_from_behind(const Tensor& t, int64_t dim);

/// `y` is the scan of `x`.
///@{
Tensor cumprod_gradient(const Tensor& g, const Tensor& x, const Tensor& y, int64_t dim);
Tensor logcumsumexp_gradient(const Tensor& g, const Tensor& x, const Tensor& y, int64_t dim);
///@}

}  // namespace sinter::ops
