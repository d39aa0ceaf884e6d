// One element in memory, as a number.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/scalar.hpp>

namespace sinter::front {

Scalar load(const char* from, ScalarType dtype);
/// Converts as PyTorch does; what does not fit is the caller's to refuse.
void store(char* to, ScalarType dtype, const Scalar& value);

}  // namespace sinter::front
