// Parses the text of an einsum: the letters of the dimensions of each operand and of the result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::ops {

/// A letter for each dimension. One `.`, at most once, stands for all dimensions of an ellipsis.
struct equation {
    std::vector<std::string> operands;
    std::string output;
};

/// Throws Error unless the text is an equation of that many operands. Without `->`, the result has
/// the dimensions of the ellipsis, then the letters that occur once, sorted by their codes.
equation parse_equation(std::string_view text, std::size_t operands);

}  // namespace sinter::ops
