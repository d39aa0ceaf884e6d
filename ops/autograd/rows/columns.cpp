// The columns are formulas over `traced`, whose operations append rows. So they may use every row
// by its name, the operators, `select` and `pick`.
#include "ops/autograd/rows/columns.hpp"

#include "runtime/base/fail.hpp"

#include <cmath>
#include <iterator>

namespace sinter::inline v1::autograd {
namespace {

/// A value of the program that is being written.
struct traced {
    row_program* program;
    value id;

    traced of(op::id row) const { return {program, program->apply(row, id)}; }
    traced of(op::id row, traced b) const { return {program, program->apply(row, id, b.id)}; }
    traced of(op::id row, traced b, traced c) const {
        return {program, program->apply(row, id, b.id, c.id)};
    }
};

/// A number in a formula: it has no program before it meets a value.
struct V {
    double number;
    constexpr explicit V(double x) : number(x) {}
    constexpr explicit V(int x) : number(x) {}
    traced beside(traced x) const { return {x.program, x.program->number(number)}; }
};

#define OPERATOR(symbol, row)                                                                     \
    [[maybe_unused]] traced operator symbol(traced a, traced b) { return a.of(op::row, b); }      \
    [[maybe_unused]] traced operator symbol(traced a, V b) { return a.of(op::row, b.beside(a)); } \
    [[maybe_unused]] traced operator symbol(V a, traced b) { return a.beside(b).of(op::row, b); }
OPERATOR(+, add)
OPERATOR(-, sub)
OPERATOR(*, mul)
OPERATOR(/, div)
OPERATOR(<, lt)
OPERATOR(<=, le)
OPERATOR(>, gt)
OPERATOR(>=, ge)
OPERATOR(==, eq)
#undef OPERATOR
traced operator-(traced x) { return x.of(op::neg); }
traced operator!(traced x) { return x.of(op::logical_not); }
traced operator&(traced a, traced b) { return a.of(op::logical_and, b); }
traced operator|(traced a, traced b) { return a.of(op::logical_or, b); }

traced select(traced condition, traced a, traced b) { return condition.of(op::where, a, b); }
traced select(traced condition, traced a, V b) { return select(condition, a, b.beside(a)); }
traced select(traced condition, V a, traced b) { return select(condition, a.beside(b), b); }

/// g where the condition holds, else 0: a product with a mask would make NaN of an infinite g.
traced pick_of(traced condition, traced g) { return select(condition, g, V(0)); }

/// The rows by name, as the formulas of values have them.
namespace math {
#define ROW1(name, ...) \
    [[maybe_unused]] traced name(traced x) { return x.of(op::name); }
#define ROW2(name, ...)                                                                 \
    [[maybe_unused]] traced name(traced a, traced b) { return a.of(op::name, b); }      \
    [[maybe_unused]] traced name(traced a, V b) { return a.of(op::name, b.beside(a)); } \
    [[maybe_unused]] traced name(V a, traced b) { return a.beside(b).of(op::name, b); }
#define ROW3(name, ...) \
    [[maybe_unused]] traced name(traced a, traced b, traced c) { return a.of(op::name, b, c); }
#include <sinter/op/elementwise.def>
#undef ROW1
#undef ROW2
#undef ROW3
[[maybe_unused]] traced exp_fma(traced a, traced b, V c) { return exp_fma(a, b, c.beside(a)); }
}  // namespace math

// ---- the columns: one function for each

using formula = traced (*)(traced a, traced b, traced c, traced y, traced g);

struct entry {
    column is;
    formula f;
};

#define D0(...) {{column_kind::derivative, nullptr}, SINTER_FORMULA(__VA_ARGS__)}
#define D1(...) D0(__VA_ARGS__)
#define D2(...) D0(__VA_ARGS__)
#define ZERO0 {{column_kind::zero, nullptr}, nullptr}
#define ZERO1 ZERO0
#define NO_GRAD0(why) {{column_kind::none, why}, nullptr}
#define NO_GRAD1(why) NO_GRAD0(why)
#define NO_GRAD2(why) NO_GRAD0(why)
#define MISSING0(why) {{column_kind::missing, why}, nullptr}
#define MISSING1(why) MISSING0(why)
#define POLYGAMMA0(order) {{column_kind::polygamma, nullptr, order}, nullptr}

#define USED [[maybe_unused]]
#define SINTER_FORMULA(...)                                                             \
    [](USED traced a, USED traced b, USED traced c, USED traced y, USED traced g) {     \
        USED const traced x = a;                                                        \
        USED const auto pick = [&](traced condition) { return pick_of(condition, g); }; \
        return traced(__VA_ARGS__);                                                     \
    }
#define ROW1(name, rule, domain, ulp, value, g0) {g0, {}, {}},
#define ROW2(name, rule, domain, ulp, value, g0, g1) {g0, g1, {}},
#define ROW3(name, rule, domain, ulp, value, g0, g1, g2) {g0, g1, g2},

const entry entries[][3] = {
#include <sinter/op/elementwise.def>
};
static_assert(std::size(entries) == op::count);

#undef D0
#undef D1
#undef D2
#undef ZERO0
#undef ZERO1
#undef NO_GRAD0
#undef NO_GRAD1
#undef NO_GRAD2
#undef MISSING0
#undef MISSING1
#undef POLYGAMMA0
#undef USED
#undef SINTER_FORMULA
#undef ROW1
#undef ROW2
#undef ROW3

const entry& entry_of(op::id row, int operand) { return entries[row][operand]; }

traced conjugate(traced x, ScalarType t) { return {x.program, x.program->conjugate(x.id, t)}; }
traced real(traced x, ScalarType t) { return {x.program, x.program->part(x.id, t, 0)}; }

/// The derivative in an operand of a row on complex numbers, if it is not the row's column: of
/// functions whose columns have rows that take no complex operands, and of those whose columns
/// would lose the side of a cut. A gradient takes it at the conjugate operands and result.
value put_other_analytic(op::id row, int operand, traced x, traced n, traced y, traced g,
                         ScalarType t) {
    // 1 + a number, whose imaginary part keeps the sign of its 0: that chooses the side of a cut.
    const auto one_and = [](traced x) { return -(-x - V(1)); };
    switch (row) {
        case op::asin:
        case op::acos: {
            const traced slope = math::rsqrt(one_and(-x)) * math::rsqrt(one_and(x));
            return (g * (row == op::asin ? slope : -slope)).id;
        }
        case op::acosh: return (g * (math::rsqrt(x - V(1)) * math::rsqrt(one_and(x)))).id;
        case op::asinh: return (g * math::rsqrt(x * x + V(1))).id;
        case op::pow: {
            if (operand == 0) return no_value;
            const traced none = (x == V(0)) & (real(n, t) >= V(0));
            return select(none, V(0), g * (y * math::log(x))).id;
        }
        default: return no_value;
    }
}

/// The gradient of an operand of a row that is not analytic, or the tangent of its result. Those of
/// sign and softsign are their own adjoints.
value put_not_analytic(op::id row, traced a, traced y, traced g, ScalarType t, bool tangent) {
    switch (row) {
        case op::abs:
            if (tangent) return real(conjugate(math::sign(a), t) * g, t).id;
            return (g * math::sign(a)).id;
        case op::sign: {
            const traced size = math::abs(a);
            const traced along = real(g / y, t) * y;
            return select(size == V(0), V(0), (g - along) / size).id;
        }
        case op::softsign: {
            const traced more = V(1) + math::abs(a);
            const traced along = real(g * conjugate(a, t), t);
            return (g / more - math::sign(a) * (along / (more * more))).id;
        }
        default: return no_value;
    }
}

/// Returns true if the column has real coefficients.
bool is_linear(op::id row) {
    return row == op::add || row == op::sub || row == op::rsub || row == op::neg ||
           row == op::where;
}

value put_analytic(row_program& p, const row_value& v, int operand,
                   const std::array<value, 3>& operands, value y, value g) {
    const auto at = [&p](value x) { return traced{&p, x}; };
    const value other =
        put_other_analytic(v.row, operand, at(operands[0]), at(operands[1]), at(y), at(g), v.from);
    return other >= 0 ? other : put_derivative(p, v.row, operand, operands, y, g);
}

}  // namespace

column column_of(op::id row, int operand) { return entry_of(row, operand).is; }
column column_of(const row_value& v, int operand) {
    if (v.row == op::sign && isComplexType(v.from)) return {column_kind::derivative};
    return column_of(v.row, operand);
}

value put_complex_gradient(row_program& p, const row_value& v, int operand,
                           const std::array<value, 3>& operands, value y, value g) {
    const auto at = [&p](value x) { return traced{&p, x}; };
    const value other = put_not_analytic(v.row, at(operands[0]), at(y), at(g), v.from, false);
    if (other >= 0) return other;
    if (is_linear(v.row)) return put_derivative(p, v.row, operand, operands, y, g);
    std::array<value, 3> conjugates = operands;
    for (value& x : conjugates)
        if (x >= 0) x = p.conjugate(x, v.from);
    return put_analytic(p, v, operand, conjugates, p.conjugate(y, v.from), g);
}

value put_complex_tangent(row_program& p, const row_value& v, int operand,
                          const std::array<value, 3>& operands, value y, value g) {
    const auto at = [&p](value x) { return traced{&p, x}; };
    const value other = put_not_analytic(v.row, at(operands[0]), at(y), at(g), v.from, true);
    return other >= 0 ? other : put_analytic(p, v, operand, operands, y, g);
}

value put_between(row_program& p, op::id row, const std::array<value, 3>& operands, value g) {
    const traced x{&p, operands[0]}, first{&p, operands[1]};
    if (row == op::minimum) return pick_of(x < first, {&p, g}).id;
    if (row == op::maximum) return pick_of(x > first, {&p, g}).id;
    return pick_of((x > first) & (x < traced{&p, operands[2]}), {&p, g}).id;
}

value put_derivative(row_program& p, op::id row, int operand, const std::array<value, 3>& operands,
                     value y, value g) {
    const entry& e = entry_of(row, operand);
    if (e.is.kind == column_kind::polygamma)
        return p.apply(op::mul, g, p.polygamma(e.is.order, operands[0]));
    if (!e.f) runtime::bug("derivative", op::info(row).name);
    const auto at = [&p](value v) { return traced{&p, v}; };
    return e.f(at(operands[0]), at(operands[1]), at(operands[2]), at(y), at(g)).id;
}

}  // namespace sinter::inline v1::autograd
