// Compares the result of a call with PyTorch's.
#pragma once

#include "tests/golden/table.hpp"

#include <string>

namespace sinter::golden {

/// Returns what is wrong with a result, or an empty text: dtype, sizes, elements; with `views`,
/// strides and offset too.
std::string difference(const Tensor& t, const expected_tensor& e, const golden_call& c,
                       const entry& f, bool views = true);

/// Returns what is wrong with the class of an error, or an empty text.
std::string wrong_error(const Error& got, const std::string& expected);

}  // namespace sinter::golden
