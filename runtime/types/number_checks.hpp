// Checks that dtypes can hold numbers.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/scalar.hpp>

#include <string>

namespace sinter::ops {

/// Returns true if the number is complex and its imaginary part is not 0. Subnormal numbers are not
/// 0, even on a thread that flushes them.
bool has_imaginary_part(const Scalar& value);
/// Returns the names of the dtypes that tensors can have, for errors.
std::string supported_dtypes();
/// Throws NotImplementedError if the dtype is not supported.
void require_dtype(const char* op, ScalarType dtype);
/// Returns true if `dtype` can hold the value, by PyTorch's rules: fractions are truncated, and
/// Byte takes negative integers down to -255, which wrap.
bool fits(const Scalar& value, ScalarType dtype);
/// Throws ValueError if `dtype` cannot hold the value.
void require_fits(const char* op, const Scalar& value, ScalarType dtype);
/// Returns a bound for elements of `dtype`, clamped to its range for an integer dtype. Throws Error
/// if no value of the dtype is within the bound.
Scalar bound_in(const char* op, ScalarType dtype, const Scalar& bound, bool is_min);
std::string to_text(const Scalar& value);
/// Returns true if the values are equal; 1, 1.0 and true are. For Scalar::equal, a bool equals only
/// bools.
bool same_value(const Scalar& a, const Scalar& b);

}  // namespace sinter::ops
