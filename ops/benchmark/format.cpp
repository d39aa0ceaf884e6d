#include "ops/benchmark/format.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace sinter::benchmark_text {

std::string fixed(double value, int digits) {
    std::array<char, 400> text;  // NOLINT: written before it is read; the largest double has 309
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   std::chars_format::fixed, digits);
    return {text.data(), end.ptr};
}

std::string shortest(double value) {
    std::array<char, 40> text;  // NOLINT: written before it is read
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

unit unit_for(double seconds) {
    if (seconds < 1e-6) return {"ns", "nanoseconds", 1e-9};
    if (seconds < 1e-3) return {"us", "microseconds", 1e-6};
    if (seconds < 1) return {"ms", "milliseconds", 1e-3};
    return {"s", "seconds", 1};
}

std::string time_text(double seconds) {
    const unit u = unit_for(seconds);
    return fixed(seconds / u.seconds, 2) + " " + u.symbol;
}

std::string centred(std::string_view text, std::size_t width, char fill) {
    const std::size_t space = width > text.size() ? width - text.size() : 0;
    const std::size_t before = space / 2 + (space & width & 1);
    return std::string(before, fill) + std::string(text) + std::string(space - before, fill);
}

std::string left(std::string_view text, std::size_t width, char fill) {
    return std::string(text) + std::string(width > text.size() ? width - text.size() : 0, fill);
}

std::string right(std::string_view text, std::size_t width) {
    return std::string(width > text.size() ? width - text.size() : 0, ' ') + std::string(text);
}

}  // namespace sinter::benchmark_text
