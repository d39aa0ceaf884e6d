// Scans: each element of the result is made of the elements up to it along a dimension.
//
// Pending; an opaque kernel each, which what stands before and after it does not fuse with. Every
// dtype but as said, any layout; a 0-d tensor is one row. Rows are shared among threads, and the
// results do not depend on how many there are. IndexError where there is no such dimension.
#pragma once

#include <sinter/tensor.hpp>

namespace sinter::inline v1 {

/// Running sums and products. Integers and bools become Long unless a dtype is given; operands are
/// converted first. Float and Double accumulate in double, Half and BFloat16 in float.
SINTER_API Tensor cumsum(const tensor_base& t, int64_t dim, optional<ScalarType> dtype = nullopt);
SINTER_API Tensor cumprod(const tensor_base& t, int64_t dim, optional<ScalarType> dtype = nullopt);
/// The largest, or smallest, so far and where it is (Long): the last of equal ones. From a NaN on,
/// NaN.
SINTER_API std::tuple<Tensor, Tensor> cummax(const tensor_base& t, int64_t dim);
SINTER_API std::tuple<Tensor, Tensor> cummin(const tensor_base& t, int64_t dim);
/// log(cumsum(exp(x))) without overflow, accumulated in double. Floating dtypes only.
SINTER_API Tensor logcumsumexp(const tensor_base& t, int64_t dim);

}  // namespace sinter::inline v1
