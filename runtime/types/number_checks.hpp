// Checks of dtypes, and that they can hold numbers.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/scalar.hpp>

#include <string>

namespace sinter::runtime {

/// Returns true if the number is complex and its imaginary part is not 0. Subnormal numbers are not
/// 0, even on a thread that flushes them.
bool has_imaginary_part(const Scalar& value);
/// Returns the names of the dtypes that tensors can have, for errors.
std::string supported_dtypes();
/// Throws NotImplementedError if the dtype is not supported.
void require_dtype(const char* op, ScalarType dtype);
/// Throw NotImplementedError. `got` names the dtypes of the operands.
///@{
[[noreturn]] void refuse_complex(const char* op, const std::string& got);
[[noreturn]] void refuse_integers(const char* op, const std::string& got,
                                  const char* expected = "a floating-point dtype");
[[noreturn]] void refuse_bool(const char* op, const std::string& got,
                              const char* remedy = ".to(kLong) first");
[[noreturn]] void refuse_dtype(const char* op, const std::string& got, const std::string& expected,
                               const char* remedy = ".to(kFloat) first");
///@}
/// Throws Error: operands that must have one dtype have these two.
[[noreturn]] void refuse_dtypes(const char* op, ScalarType a, ScalarType b);
/// Returns true if `dtype` can hold the value, by PyTorch's rules: fractions are truncated, and
/// Byte takes negative integers down to -255, which wrap.
bool fits(const Scalar& value, ScalarType dtype);
/// Throws ValueError: `dtype` cannot hold the value.
[[noreturn]] void refuse_value(const char* op, const Scalar& value, ScalarType dtype);
/// Throws ValueError if `dtype` cannot hold the value.
void require_fits(const char* op, const Scalar& value, ScalarType dtype);
/// Returns a bound for elements of `dtype`, clamped to its range for an integer dtype. Throws Error
/// if no value of the dtype is within the bound.
Scalar bound_in(const char* op, ScalarType dtype, const Scalar& bound, bool is_min);
std::string to_text(const Scalar& value);
/// Returns true if the values are equal; 1, 1.0 and true are. For Scalar::equal, a bool equals only
/// bools.
bool same_value(const Scalar& a, const Scalar& b);

}  // namespace sinter::runtime
