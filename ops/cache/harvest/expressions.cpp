#include "ops/cache/harvest/expressions.hpp"

#include "engine/graph/infer.hpp"
#include "jit/stored/artefact.hpp"

#include <sinter/op/op.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace sinter::cache_command {
namespace {

constexpr std::size_t most_words = 4096;

/// A type in a name. Types that occur again refer to the first one, so a short name may have a
/// long program.
struct type {
    enum class kind : uint8_t { other, tensor, number, expression };
    kind is = kind::other;
    uint16_t row = 0;
    uint8_t arity = 0;
    std::array<std::size_t, 3> operands{};  // by number
    std::size_t words = 1;                  // of its program
};

/// Reads the names of `expr<row, operands...>::record` as the Itanium C++ ABI writes them. S_, S0_
/// and so on stand for what was named before, in the order in which it was complete.
class name_reader {
public:
    explicit name_reader(std::string_view symbol) : left_(symbol) {}

    named_expression read() {
        using enum named_expression::kind;
        if (!take(library_prefix) || left_.find("4exprI") == left_.npos ||
            !left_.ends_with("E6recordE"))
            return {};
        if (!take("2v14exprI")) return {other_version, {}};
        types_.resize(3);  // S_ is sinter, S0_ sinter::v1, S1_ the template
        bool whole = open();
        while (whole && !open_.empty()) whole = step();
        if (whole && left_ == "6recordE") return {known, words_of(types_.size() - 1)};
        return {wrong_row_ ? other_version : unread, {}};
    }

private:
    bool take(std::string_view text) {
        if (!left_.starts_with(text)) return false;
        left_.remove_prefix(text.size());
        return true;
    }

    /// Reads a number up to a character that ends it.
    std::optional<std::size_t> number(int base, char end) {
        std::size_t n = 0;
        for (bool first = true; !left_.empty(); first = false) {
            const char c = left_.front();
            left_.remove_prefix(1);
            if (c == end && !first) return n;
            const int digit = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'A' && c <= 'Z' ? c - 'A' + 10
                                                     : 99;
            if (digit >= base || n > UINT16_MAX) return std::nullopt;
            n = n * static_cast<std::size_t>(base) + static_cast<std::size_t>(digit);
        }
        return std::nullopt;
    }

    /// Reads the row of an expression, and begins its operands.
    bool open() {
        if (!take("L")) return false;
        if (open_.empty() && take("NS0_2op2idE"))
            types_.resize(5);  // S2_ is sinter::v1::op, S3_ its enumeration
        else if (open_.empty() || !take("S3_"))
            return false;
        const std::optional<std::size_t> row = number(10, 'E');
        if (!row || !take("J")) return false;
        type t;
        t.is = type::kind::expression;
        t.row = static_cast<uint16_t>(*row);
        open_.push_back(t);
        return *row <= UINT16_MAX;
    }

    /// Reads an operand, the beginning of one, or the end of an expression.
    bool step() {
        if (take("NS1_I")) return open();
        if (take("NS0_14tensor_operandE")) return add_new(type::kind::tensor);
        if (take("NS0_14number_operandE")) return add_new(type::kind::number);
        if (take("S_")) return false;
        if (take("S")) {
            const std::optional<std::size_t> n = number(36, '_');
            return n && *n + 1 < types_.size() && add(*n + 1);
        }
        return take("EE") && close();
    }

    bool add_new(type::kind is) {
        types_.emplace_back().is = is;
        return add(types_.size() - 1);
    }

    bool add(std::size_t operand) {
        type& t = open_.back();
        const type& o = types_[operand];
        if (o.is == type::kind::other) return false;
        if (t.arity == t.operands.size()) return wrong_row();
        t.operands[t.arity++] = operand;
        t.words += o.words;
        return t.words <= most_words;
    }

    bool close() {
        const type t = open_.back();
        if (t.row >= op::count || op::rows[t.row].arity != t.arity) return wrong_row();
        if (op::rows[t.row].rule == dtype_rule::random) return false;  // no function gives it
        types_.push_back(t);
        open_.pop_back();
        return open_.empty() || (take("E") && add(types_.size() - 1));
    }

    bool wrong_row() {
        wrong_row_ = true;
        return false;
    }

    expression words_of(std::size_t whole) const {
        expression words;
        std::vector<std::pair<std::size_t, std::size_t>> at{{whole, 0}};  // and its next operand
        while (!at.empty()) {
            auto& [number, next] = at.back();
            const type& t = types_[number];
            if (next < t.arity) {
                at.emplace_back(t.operands[next++], 0);
                continue;
            }
            words.push_back(t.is == type::kind::tensor   ? uint16_t{token_leaf}
                            : t.is == type::kind::number ? uint16_t{token_scalar}
                                                         : t.row);
            at.pop_back();
        }
        return words;
    }

    std::string_view left_;
    std::vector<type> types_;  // in the order of their numbers
    std::vector<type> open_;   // those whose operands are being read, the outermost first
    bool wrong_row_ = false;
};

code_cache::hash128 hash_of(std::span<const uint16_t> words) {
    return code_cache::hash_of(
        {reinterpret_cast<const uint8_t*>(words.data()), words.size_bytes()});
}

/// Returns the operator of a row between its operands, and how strongly it binds; null if it is a
/// function.
std::pair<const char*, int> symbol_of(uint16_t row) {
    switch (row) {
        case op::mul: return {" * ", 7};
        case op::div: return {" / ", 7};
        case op::remainder: return {" % ", 7};
        case op::add: return {" + ", 6};
        case op::sub: return {" - ", 6};
        case op::lt: return {" < ", 5};
        case op::le: return {" <= ", 5};
        case op::gt: return {" > ", 5};
        case op::ge: return {" >= ", 5};
        case op::eq: return {" == ", 4};
        case op::ne: return {" != ", 4};
        case op::bitwise_and: return {" & ", 3};
        case op::bitwise_xor: return {" ^ ", 2};
        case op::bitwise_or: return {" | ", 1};
        default: return {nullptr, 0};
    }
}

}  // namespace

named_expression expression_of(std::string_view symbol) { return name_reader(symbol).read(); }

std::set<expression> maximal(const std::set<expression>& all) {
    std::set<code_cache::hash128> parts;
    for (const expression& e : all) {
        std::vector<std::size_t> begins;  // of the values on the stack
        for (std::size_t i = 0; i < e.size(); ++i) {
            std::size_t from = i;
            if (e[i] < token_first) {
                const std::size_t rest = begins.size() - op::rows[e[i]].arity;
                from = begins[rest];
                begins.resize(rest);
                if (i + 1 < e.size()) parts.insert(hash_of({e.data() + from, i + 1 - from}));
            }
            begins.push_back(from);
        }
    }
    std::set<expression> found;
    for (const expression& e : all)
        if (!parts.contains(hash_of(e))) found.insert(e);
    return found;
}

std::string text_of(const expression& e) {
    struct part {
        std::string text;
        int binds = 8;
    };
    std::vector<part> stack;
    std::size_t tensors = 0;
    for (const uint16_t word : e) {
        part p;
        if (word == token_leaf) {
            p.text = std::string(1, static_cast<char>('a' + tensors % 26));
            if (tensors >= 26) p.text += std::to_string(tensors / 26);
            ++tensors;
        } else if (word == token_scalar) {
            p.text = "#";
        } else {
            const std::size_t arity = op::rows[word].arity, first = stack.size() - arity;
            const auto [symbol, binds] = symbol_of(word);
            if (symbol) p.binds = binds;
            if (!symbol) p.text = std::string(op::rows[word].name) + "(";
            for (std::size_t i = 0; i < arity; ++i) {
                const part& o = stack[first + i];
                if (i > 0) p.text += symbol ? symbol : ", ";
                // Operators of one strength bind from the left.
                const bool inside = symbol && o.binds < binds + static_cast<int>(i);
                p.text += inside ? "(" + o.text + ")" : o.text;
            }
            if (!symbol) p.text += ")";
            stack.resize(first);
        }
        stack.push_back(std::move(p));
    }
    return stack.empty() ? std::string() : std::move(stack.back().text);
}

bool computes(const plan::subgraph& w, const expression& e) {
    struct reading {
        const Node* node;
        std::size_t words, leaves;  // that are left to compare, from the end
    };
    const auto begin = [](const Node& n) {
        return reading{&n, n.code->source->words.size(), n.sources.size()};
    };
    std::vector<reading> open;
    for (const Node* whole : w.nodes) {
        if (whole->kind != node_kind::pointwise) continue;
        std::size_t left = e.size();
        open.assign(1, begin(*whole));
        while (!open.empty()) {
            reading& r = open.back();
            if (r.words == 0) {
                open.pop_back();
                continue;
            }
            const uint16_t word = r.node->code->source->words[--r.words];
            if (left == 0) break;
            const Edge* read = word == token_leaf ? &r.node->sources[--r.leaves] : nullptr;
            if (word == e[left - 1]) {
                --left;
                continue;
            }
            // What the expression has as a part, another node may have computed.
            if (!read || !w.is_node(plan::subgraph::value_of(*read))) break;
            const Node& part = *w.nodes[static_cast<std::size_t>(read->number)];
            if (part.kind != node_kind::pointwise) break;
            open.push_back(begin(part));
        }
        if (left == 0 && open.empty()) return true;
    }
    return false;
}

}  // namespace sinter::cache_command
