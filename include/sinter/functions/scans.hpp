// Scans: each element of the result combines the elements up to it along a dimension.
//
// Pending; each is an opaque kernel, which does not fuse with operations before and after it. Any
// dtype unless a function says otherwise, any layout; a 0-d tensor is one row. Rows are shared
// among threads, and results do not depend on the number of threads. Throws IndexError if there is
// no such dimension.
#pragma once

#include <sinter/tensor.hpp>

namespace sinter::inline v1 {

/// Returns running sums or products along `dim`, in the tensor's sizes. Integers and Bool become
/// Long unless a dtype is given; operands are converted first. Float and Double accumulate in
/// double, Half and BFloat16 in float. Throws IndexError if there is no such dimension.
///@{
SINTER_API Tensor cumsum(const tensor_base& t, int64_t dim, optional<ScalarType> dtype = nullopt);
SINTER_API Tensor cumprod(const tensor_base& t, int64_t dim, optional<ScalarType> dtype = nullopt);
///@}
/// Returns the largest, or smallest, element so far along `dim` and its index (Long), the last of
/// equal ones, both in the tensor's sizes. From a NaN on, NaN. Throws IndexError if there is no
/// such dimension, and NotImplementedError for complex numbers.
///@{
SINTER_API std::tuple<Tensor, Tensor> cummax(const tensor_base& t, int64_t dim);
SINTER_API std::tuple<Tensor, Tensor> cummin(const tensor_base& t, int64_t dim);
///@}
/// Returns log(cumsum(exp(x))) along `dim` without overflow, accumulated in double, in the tensor's
/// sizes. Throws IndexError if there is no such dimension, and NotImplementedError for integers and
/// Bool.
SINTER_API Tensor logcumsumexp(const tensor_base& t, int64_t dim);

}  // namespace sinter::inline v1
