#include "ops/autograd/rows/row_program.hpp"

#include <sinter/dtype.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v1::autograd {

row_program::row_program(int inputs) : inputs_(inputs), values_(static_cast<std::size_t>(inputs)) {}

value row_program::number(double x) {
    return add({.is = row_value::kind::number, .bits = std::bit_cast<uint64_t>(x)});
}

value row_program::apply(op::id row, value a, value b, value c) {
    return add({.is = row_value::kind::row, .row = row, .operands = {a, b, c}});
}

value row_program::draw(op::id row, value a, value b, ScalarType to) {
    return add({.is = row_value::kind::row, .row = row, .operands = {a, b, no_value}, .to = to});
}

value row_program::cast(value a, ScalarType from, ScalarType to) {
    return add(
        {.is = row_value::kind::cast, .operands = {a, no_value, no_value}, .from = from, .to = to});
}

value row_program::polygamma(int order, value a) {
    return add({.is = row_value::kind::polygamma,
                .operands = {a, no_value, no_value},
                .bits = static_cast<uint64_t>(order)});
}

value row_program::part(value a, ScalarType from, int which) {
    return add({.is = row_value::kind::part,
                .operands = {a, no_value, no_value},
                .bits = static_cast<uint64_t>(which),
                .from = from});
}

value row_program::join(value re, value im, ScalarType to) {
    return add({.is = row_value::kind::join, .operands = {re, im, no_value}, .to = to});
}

value row_program::conjugate(value a, ScalarType dtype) {
    const row_value& v = at(a);
    const bool real = v.is == row_value::kind::cast && !isComplexType(v.from);
    if (real || v.is == row_value::kind::number) return a;
    return join(part(a, dtype, 0), apply(op::neg, part(a, dtype, 1)), dtype);
}

value row_program::repeat(const row_value& of, const std::array<value, 3>& operands) {
    row_value v = of;
    v.operands = operands;
    return add(v);
}

// Programs are as long as a statement, so no table is kept.
value row_program::add(const row_value& v) {
    const auto first = values_.begin() + inputs_;
    const auto found = std::find(first, values_.end(), v);
    if (found == values_.end()) {
        values_.push_back(v);
        return static_cast<value>(values_.size()) - 1;
    }
    return static_cast<value>(found - values_.begin());
}

}  // namespace sinter::inline v1::autograd
