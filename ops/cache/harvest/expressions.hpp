// The expression types that a program was compiled with: their programs, read out of the names of
// their records (`expr<...>::record` in include/sinter/expr/expr.hpp).
#pragma once

#include "engine/plan/subgraph.hpp"

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::cache_command {

/// The words of a program of rows over tensors and numbers, in postfix order.
using expression = std::vector<uint16_t>;

/// All symbols of the library's types begin with it, whatever the version.
constexpr std::string_view library_prefix = "_ZN6sinter";

struct named_expression {
    enum class kind : uint8_t {
        none,           // the name is that of something else
        unread,         // it is damaged, or the expression too long
        other_version,  // its rows are not those of this library
        known,
    };
    kind is = kind::none;
    expression words;
};

/// Takes the mangled name of a symbol apart. Any text will do.
named_expression expression_of(std::string_view symbol);

/// Returns those that are no part of another one.
std::set<expression> maximal(const std::set<expression>& all);

/// Returns it as in a program: "# * a + exp(b)". Tensors are a, b, ..., numbers are #.
std::string text_of(const expression& e);

/// Returns true if a subgraph computes the expression: by one node, or by several of which one
/// reads the others.
bool computes(const plan::subgraph& w, const expression& e);

}  // namespace sinter::cache_command
