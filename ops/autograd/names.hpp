// Names of gradient nodes, and the errors of operations without a derivative.
#pragma once

#include "engine/graph/gradient.hpp"

#include <string>
#include <string_view>

namespace sinter::inline v1::autograd {

/// Returns PyTorch's name: "IndexSelectBackward0" of "index_select".
std::string backward_name(std::string_view operation);
/// Throws NotImplementedError: the operation has no derivative.
[[noreturn]] void refuse_missing(const char* operation);

}  // namespace sinter::inline v1::autograd
