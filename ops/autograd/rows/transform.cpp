#include "ops/autograd/rows/transform.hpp"

#include "ops/autograd/rows/columns.hpp"
#include "runtime/base/fail.hpp"

#include <algorithm>

namespace sinter::inline v1::autograd {
namespace {

/// Appends the values of `of` to a program that begins with its inputs. Returns their new numbers.
std::vector<value> put_values(row_program& to, const row_program& of) {
    std::vector<value> at;
    const auto moved = [&at](value v) { return v < 0 ? v : at[static_cast<std::size_t>(v)]; };
    for (const row_value& v : of.values()) {
        if (v.is == row_value::kind::input)
            at.push_back(static_cast<value>(at.size()));
        else
            at.push_back(
                to.repeat(v, {moved(v.operands[0]), moved(v.operands[1]), moved(v.operands[2])}));
    }
    return at;
}

int operands_of(const row_value& v) {
    if (v.is == row_value::kind::row) return op::info(v.row).arity;
    if (v.is == row_value::kind::join) return 2;
    return v.is == row_value::kind::input || v.is == row_value::kind::number ? 0 : 1;
}

bool is_inexact(ScalarType t) { return isFloatingType(t) || isComplexType(t); }

/// Returns true if a change of the operand changes the result.
bool passes(const row_value& v, int operand) {
    if (v.is == row_value::kind::cast) return is_inexact(v.from) && is_inexact(v.to);
    if (v.is != row_value::kind::row) return true;
    const op::id row = v.row;
    const column c = column_of(v, operand);
    if (c.kind == column_kind::missing)
        runtime::fail<NotImplementedError>(
            op::info(row).name,
            runtime::text("the derivative for '", op::info(row).name, "' is not implemented"),
            c.why, "a function with a derivative", "detach() on what it is computed from");
    return c.kind == column_kind::derivative || c.kind == column_kind::polygamma;
}

/// Returns true if the result follows the operand in a way that has a derivative, be it 0.
bool follows(const row_value& v, int operand) {
    if (v.is == row_value::kind::row) {
        return column_of(v, operand).kind != column_kind::none;
    }
    return passes(v, operand);
}

/// Appends the sum; either may be no_value, which is 0.
value put_sum(row_program& p, value a, value b) {
    if (a < 0 || b < 0) return a < 0 ? b : a;
    return p.apply(op::add, a, b);
}

/// The values of `of` in a program that is being made, each with a derivative beside it.
struct derived {
    const row_program& of;
    row_program to;
    std::vector<value> at, derivative;
    bool forward;

    derived(const row_program& p, int more, bool forwards)
        : of(p),
          to(p.inputs() + more),
          at(put_values(to, p)),
          derivative(at.size(), no_value),
          forward(forwards) {}

    std::array<value, 3> operands(const row_value& v) const {
        std::array<value, 3> moved{no_value, no_value, no_value};
        for (std::size_t k = 0; k < 3 && v.operands[k] >= 0; ++k)
            moved[k] = at[static_cast<std::size_t>(v.operands[k])];
        return moved;
    }
    value& of_operand(const row_value& v, std::size_t k) {
        return derivative[static_cast<std::size_t>(v.operands[k])];
    }
    value put(std::size_t n, int operand, value g) {
        const row_value& v = of.values()[n];
        if (v.is == row_value::kind::cast)
            return to.cast(g, forward ? v.from : v.to, forward ? v.to : v.from);
        if (v.is == row_value::kind::polygamma)
            return to.apply(op::mul, g, to.polygamma(static_cast<int>(v.bits) + 1, operands(v)[0]));
        if (v.is == row_value::kind::part) {
            if (forward) return to.part(g, v.from, static_cast<int>(v.bits));
            return v.bits == 0 ? to.join(g, to.number(0), v.from)
                               : to.join(to.number(0), g, v.from);
        }
        if (v.is == row_value::kind::join) {
            if (!forward) return to.part(g, v.to, operand);
            return operand == 0 ? to.join(g, to.number(0), v.to) : to.join(to.number(0), g, v.to);
        }
        if (v.by_numbers && operand == 0) return put_between(to, v.row, operands(v), g);
        if (isComplexType(v.from))
            return forward ? put_complex_tangent(to, v, operand, operands(v), at[n], g)
                           : put_complex_gradient(to, v, operand, operands(v), at[n], g);
        return put_derivative(to, v.row, operand, operands(v), at[n], g);
    }
};

int count_of(std::span<const bool> wanted) {
    return static_cast<int>(std::count(wanted.begin(), wanted.end(), true));
}

}  // namespace

std::vector<bool> followed_inputs(const row_program& of) {
    std::vector<bool> followed(of.values().size(), false);
    for (const value v : of.outputs) followed[static_cast<std::size_t>(v)] = true;
    for (std::size_t n = of.values().size(); n-- > 0;) {
        const row_value& v = of.values()[n];
        for (int k = 0; followed[n] && k < operands_of(v); ++k)
            if (follows(v, k))
                followed[static_cast<std::size_t>(v.operands[static_cast<std::size_t>(k)])] = true;
    }
    followed.resize(static_cast<std::size_t>(of.inputs()));
    return followed;
}

row_program jvp(const row_program& of, std::span<const bool> wanted) {
    derived d(of, count_of(wanted), true);
    value next = of.inputs();
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i]) d.derivative[i] = next++;
    for (std::size_t n = 0; n < of.values().size(); ++n) {
        const row_value& v = of.values()[n];
        for (int k = 0; k < operands_of(v); ++k) {
            const value g = d.of_operand(v, static_cast<std::size_t>(k));
            if (g >= 0 && passes(v, k))
                d.derivative[n] = put_sum(d.to, d.derivative[n], d.put(n, k, g));
        }
    }
    for (const value v : of.outputs)
        d.to.outputs.push_back(d.derivative[static_cast<std::size_t>(v)]);
    return std::move(d.to);
}

row_program vjp(const row_program& of, std::span<const bool> wanted) {
    derived d(of, static_cast<int>(of.outputs.size()), false);
    // What depends on a wanted input.
    std::vector<bool> depends(of.values().size(), false);
    std::copy(wanted.begin(), wanted.end(), depends.begin());
    for (std::size_t n = 0; n < depends.size(); ++n)
        for (const value v : of.values()[n].operands)
            if (v >= 0 && depends[static_cast<std::size_t>(v)]) depends[n] = true;
    value next = of.inputs();
    for (const value v : of.outputs) {
        value& g = d.derivative[static_cast<std::size_t>(v)];
        g = put_sum(d.to, g, next++);
    }
    for (std::size_t n = of.values().size(); n-- > 0;) {
        const row_value& v = of.values()[n];
        if (!depends[n] || d.derivative[n] < 0) continue;
        for (int k = 0; k < operands_of(v); ++k) {
            const auto operand = static_cast<std::size_t>(v.operands[static_cast<std::size_t>(k)]);
            if (!depends[operand] || !passes(v, k)) continue;
            d.derivative[operand] =
                put_sum(d.to, d.derivative[operand], d.put(n, k, d.derivative[n]));
        }
    }
    for (std::size_t i = 0; i < wanted.size(); ++i)
        if (wanted[i]) d.to.outputs.push_back(d.derivative[i]);
    return std::move(d.to);
}

}  // namespace sinter::inline v1::autograd
