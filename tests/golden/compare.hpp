// Whether what a call gave is what PyTorch gave.
#pragma once

#include "tests/golden/table.hpp"

#include <string>

namespace sinter::golden {

/// What is wrong with a result, or nothing: dtype, sizes, elements; `views`: strides and offset
/// too.
std::string difference(const Tensor& t, const expected_tensor& e, const golden_call& c,
                       const entry& f, bool views = true);

/// What is wrong with the kind of an error, or nothing.
std::string wrong_error(const Error& got, const std::string& expected);

}  // namespace sinter::golden
