#include "core/compile/beginnings.hpp"

#include <algorithm>

namespace gpu_emulator {
namespace {

constexpr std::size_t most_beginnings = 16;
/// Parsing a shorter beginning takes no longer than finding it.
constexpr std::size_t worth_parsing = 1000;

}  // namespace

std::size_t common_beginning(std::string_view a, std::string_view b) {
    const std::size_t same = static_cast<std::size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<long>(std::min(a.size(), b.size())),
                      b.begin())
            .first -
        a.begin());
    std::size_t end = 0, line = 0;
    int brackets = 0, conditions = 0;
    while (true) {
        const std::size_t next = a.find('\n', line);
        if (next == std::string_view::npos || next >= same) return end;
        const std::string_view words = a.substr(line, next - line);
        line = next + 1;
        if (!words.empty() && words.front() == '#') {
            conditions += words.rfind("#if", 0) == 0;
            conditions -= words.rfind("#endif", 0) == 0;
            continue;
        }
        for (const char c : words) {
            brackets += c == '{' || c == '(' || c == '[';
            brackets -= c == '}' || c == ')' || c == ']';
        }
        const bool ends = !words.empty() && (words.back() == ';' || words.back() == '}');
        if (brackets == 0 && conditions == 0 && ends) end = line;
    }
}

std::shared_ptr<const beginning> beginnings::of(const std::string& text, const parser& parse) {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const beginning> best;
    const auto consider = [&](const std::shared_ptr<const beginning>& b) {
        if (!b->parsed.empty() && text.compare(0, b->text.size(), b->text) == 0 &&
            (!best || b->text.size() > best->text.size()))
            best = b;
    };
    for (const auto& b : known_) consider(b);
    const auto add = [&](std::size_t length) {
        std::string part = text.substr(0, length), parsed = parse(part);
        known_.push_back(
            std::make_shared<beginning>(beginning{std::move(part), std::move(parsed)}));
        consider(known_.back());
    };
    if (known_.empty()) add(0);  // the prelude, which comes before all texts
    const std::size_t length = common_beginning(last_, text);
    if (length >= (best ? best->text.size() : 0) + worth_parsing &&
        known_.size() < most_beginnings &&
        std::none_of(known_.begin(), known_.end(), [&](const auto& b) {
            return b->text.size() == length && text.compare(0, length, b->text) == 0;
        }))
        add(length);
    last_ = text;
    return best;
}

}  // namespace gpu_emulator
