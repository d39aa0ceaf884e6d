// Numbers and the dtypes that hold them.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/scalar.hpp>

#include <string>

namespace sinter::front {

/// Whether it is complex and its imaginary part not 0, which subnormal numbers are not on any
/// thread.
bool has_imaginary_part(const Scalar& value);
/// Throws NotImplementedError where this build has no such dtype.
void require_dtype(const char* op, ScalarType dtype);
/// Whether `dtype` can hold the value, by PyTorch's rules: fractions are cut, and Byte takes
/// negative integers down to -255, which wrap.
bool fits(const Scalar& value, ScalarType dtype);
/// Throws where it cannot.
void require_fits(const char* op, const Scalar& value, ScalarType dtype);
/// A bound that elements of `dtype` are held to, brought into its range if that is of integers. One
/// that none of them can keep to is refused.
Scalar bound_in(const char* op, ScalarType dtype, const Scalar& bound, bool is_min);
std::string to_text(const Scalar& value);
/// 1, 1.0 and true are the same value; of Scalar::equal a bool equals bools alone.
bool same_value(const Scalar& a, const Scalar& b);

}  // namespace sinter::front
