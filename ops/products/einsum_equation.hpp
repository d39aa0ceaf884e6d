// The text of an einsum: which letters stand for the dimensions of each operand and of the result.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::front {

/// A letter for each dimension; the dimensions of an ellipsis are one `.` together, once at most.
struct equation {
    std::vector<std::string> operands;
    std::string output;
};

/// Throws unless the text is an equation of so many operands. Without `->` the result has the
/// dimensions of the ellipsis and the letters that occur once, by their codes.
equation parse_equation(std::string_view text, std::size_t operands);

}  // namespace sinter::front
