// Transforms without a scale, with gradients of all orders.
#pragma once

#include <sinter/tensor.hpp>

#include <vector>

namespace sinter::ops {

/// Complex to complex along these dimensions, which may be negative; one or more.
Tensor fft_c2c(const Tensor& x, const std::vector<int64_t>& dims, bool inverse);
/// Real to complex; along the last of the dimensions the first half of the elements.
Tensor fft_r2c(const Tensor& x, const std::vector<int64_t>& dims);
/// Complex to `n` real elements along one dimension: the inverse of fft_r2c.
Tensor fft_c2r(const Tensor& x, int64_t dim, int64_t n);

}  // namespace sinter::ops
