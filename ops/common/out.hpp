// Writes results into tensors given as outputs.
#pragma once

#include "ops/common/op_checks.hpp"

#include <initializer_list>

namespace sinter::ops {

/// Throws Error if the output does not have the result's dtype.
void require_out_dtype(const char* name, const Tensor& out, ScalarType dtype);
/// Resizes `out` to the result's sizes and writes a pending result into it; the copy fuses with the
/// result. Throws Error if the dtype of `out` cannot take the result, or if `out` partly overlaps
/// one of `operands`, which are read element by element.
Tensor& store(const char* name, Tensor& out, const Tensor& value,
              std::initializer_list<const Tensor*> operands = {});

}  // namespace sinter::ops
