#include "ops/products/einsum_equation.hpp"

#include "ops/common/op_checks.hpp"

#include <algorithm>
#include <ostream>

namespace sinter::ops {
namespace {

constexpr std::string_view arrow = "->";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

struct term_place {
    std::size_t operand;
    bool result;

    friend std::ostream& operator<<(std::ostream& out, const term_place& p) {
        if (p.result) return out << "in the result";
        return out << "in operand " << p.operand;
    }
};

[[noreturn]] void wrong_sign(std::string_view all, std::size_t at, const term_place& where) {
    runtime::fail("einsum", runtime::text("a character has no meaning ", where),
                  runtime::text("'", all[at], "' at position ", at, " of \"", all, '"'),
                  "letters, spaces, commas between operands, \"...\" and one \"->\"",
                  "a letter for each dimension");
}

/// Parses letters and an ellipsis from `at` on, up to a comma or `end`. Moves `at` there.
std::string parse_term(std::string_view all, std::size_t& at, std::size_t end,
                       const term_place& where) {
    std::string term;
    for (; at < end && all[at] != ','; ++at) {
        if (all[at] == ' ') continue;
        if (all[at] == '.') {
            if (all.substr(at, std::min<std::size_t>(3, end - at)) != "...")
                runtime::fail("einsum", runtime::text("a dot is not part of an ellipsis ", where),
                              runtime::text("position ", at, " of \"", all, '"'),
                              "three dots in a row", "\"...\"");
            if (term.find('.') != std::string::npos)
                runtime::fail("einsum", runtime::text("there are two ellipses ", where),
                              runtime::text('"', all, '"'), "at most one",
                              "a letter for each dimension of one of them");
            at += 2;
        } else if (!is_letter(all[at])) {
            wrong_sign(all, at, where);
        }
        term += all[at];
    }
    return term;
}

std::string implicit_output(const equation& e) {
    std::string letters, output = ".";
    for (const std::string& term : e.operands) letters += term;
    std::erase(letters, '.');
    std::ranges::sort(letters);
    for (std::size_t i = 0; i < letters.size(); ++i)
        if ((i == 0 || letters[i - 1] != letters[i]) &&
            (i + 1 == letters.size() || letters[i + 1] != letters[i]))
            output += letters[i];
    return output;
}

void check_output(std::string_view all, const equation& e) {
    for (char c : e.output) {
        if (c == '.') continue;
        if (std::ranges::count(e.output, c) > 1)
            runtime::fail("einsum", "a letter appears twice in the result",
                          runtime::text("'", c, "' in \"", all, '"'), "each letter at most once",
                          "diag_embed() on the result");
        if (std::ranges::none_of(e.operands, [&](const std::string& term) {
                return term.find(c) != std::string::npos;
            }))
            runtime::fail("einsum", "a letter of the result appears in no operand",
                          runtime::text("'", c, "' in \"", all, '"'), "letters of the operands",
                          "unsqueeze() on the result");
    }
}

}  // namespace

equation parse_equation(std::string_view all, std::size_t operands) {
    const std::size_t found = all.find(arrow), end = std::min(found, all.size());
    equation e;
    e.operands.reserve(operands);
    for (std::size_t at = 0;; ++at) {
        e.operands.push_back(parse_term(all, at, end, {e.operands.size(), false}));
        if (at == end) break;
    }
    if (e.operands.size() != operands)
        runtime::fail("einsum", "the equation has a different number of operands",
                      runtime::text(operands, " tensors for \"", all, '"'),
                      runtime::text(e.operands.size(), " tensors"),
                      "a comma between every two operands of the equation");
    if (found == std::string_view::npos) {
        e.output = implicit_output(e);
        return e;
    }
    std::size_t at = end + arrow.size();
    e.output = parse_term(all, at, all.size(), {0, true});
    if (at != all.size()) wrong_sign(all, at, {0, true});
    check_output(all, e);
    return e;
}

}  // namespace sinter::ops
