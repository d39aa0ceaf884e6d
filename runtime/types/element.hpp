// Loads and stores a single element as a number.
#pragma once

#include <sinter/dtype.hpp>
#include <sinter/scalar.hpp>

namespace sinter::runtime {

Scalar load(const char* from, ScalarType dtype);
/// Converts as PyTorch does. The caller rejects values that do not fit.
void store(char* to, ScalarType dtype, const Scalar& value);

}  // namespace sinter::runtime
