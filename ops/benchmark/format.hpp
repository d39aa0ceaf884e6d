// Numbers as text, the same in every locale.
#pragma once

#include <string>
#include <string_view>

namespace sinter::benchmark_text {

/// Returns the number with this many digits behind the point.
std::string fixed(double value, int digits);
/// Returns the shortest text that reads back as the number.
std::string shortest(double value);

struct unit {
    const char* symbol;
    const char* word;
    double seconds;
};
/// Returns the unit in which a time has one to three digits before the point.
unit unit_for(double seconds);
/// Returns text like "5.73 us".
std::string time_text(double seconds);

/// Returns the text with `fill` on both sides up to the width. Of an odd number more stand on the
/// left if the width is odd, as in Python, so that tables look like PyTorch's.
std::string centred(std::string_view text, std::size_t width, char fill = ' ');
/// Return the text with spaces on one side up to the width.
///@{
std::string left(std::string_view text, std::size_t width, char fill = ' ');
std::string right(std::string_view text, std::size_t width);
///@}

}  // namespace sinter::benchmark_text
