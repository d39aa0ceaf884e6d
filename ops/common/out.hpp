// Writing results into tensors that were given for them.
#pragma once

#include "ops/common/op_checks.hpp"

#include <initializer_list>

namespace sinter::front {

/// Throws where the output is not of the result's dtype.
void require_out_dtype(const char* name, const Tensor& out, ScalarType dtype);
/// Writes a pending result, which fuses with the copy, into `out`, after it got the result's sizes.
/// Throws where its dtype cannot take the result, or where it shares a part of its elements with
/// one of `operands`: those that the result is read from element by element.
Tensor& store(const char* name, Tensor& out, const Tensor& value,
              std::initializer_list<const Tensor*> operands = {});

}  // namespace sinter::front
