// Expands rows to primitives: each row by its formula, each cast by PyTorch's rules.
#include "jit/kernel_ir/opcodes.hpp"
#include "jit/kernel_ir/rows/builder.hpp"
#include "jit/kernel_ir/rows/cast.hpp"
#include "jit/kernel_ir/rows/fast_rows.hpp"
#include "jit/kernel_ir/rows/ir_number.hpp"
#include "jit/kernel_ir/rows/rows.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/error.hpp>

#include <limits>

namespace sinter::kernel_ir {

namespace {

/// Returns math::maximum(x, low) for a `low` that is the same for all elements of a row, with one
/// comparison per element: the threshold for "below `low`" is computed once per row. -0 is below 0,
/// and all numbers are below NaN.
template <class T>
ir<T> at_least(ir<T> x, ir<T> low) {
    using V = ir<T>;
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const auto minus_zero = bits(low) == bits(V::from(T(-0.0)));
    const V below = select(minus_zero, V::from(-std::numeric_limits<T>::denorm_min()), low);
    return select(x <= select(low != low, V::from(infinity), below), low, x);
}

/// Returns math::minimum(x, high) in the same way.
template <class T>
ir<T> at_most(ir<T> x, ir<T> high) {
    using V = ir<T>;
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const auto plus_zero = bits(high) == bits(V::from(T(0)));
    const V above = select(plus_zero, V::from(std::numeric_limits<T>::denorm_min()), high);
    return select(x >= select(high != high, V::from(-infinity), above), high, x);
}

template <class T>
value_id bounded(uint16_t row, const value_id (&args)[3]) {
    using V = ir<T>;
    V x = V::at(args[0]);
    if (row == op::minimum) return at_most(x, V::at(args[1])).id;
    x = at_least(x, V::at(args[1]));
    return row == op::clamp ? at_most(x, V::at(args[2])).id : x.id;
}

class decomposer {
public:
    explicit decomposer(const kernel& k) : k_(k), fast_(k) {}

    std::vector<instr> run() {
        building scope(builder_);
        values_.reserve(k_.body.size());
        for (at_ = 0; at_ < static_cast<value_id>(k_.body.size()); ++at_)
            values_.push_back(expand(k_.body[static_cast<std::size_t>(at_)]));
        std::vector<instr> body = builder_.take_body();
        std::vector<value_id> roots = find_live(body);
        reorder(body, roots);
        return body;
    }

private:
    value_id value(value_id v) const { return values_[static_cast<std::size_t>(v)]; }
    ScalarType type(value_id v) const { return k_.body[static_cast<std::size_t>(v)].type; }

    /// Returns the expansions of the row-level values that stores need, in order. Loads of kept
    /// outputs count as needed, since they separate one store from the next.
    std::vector<value_id> find_live(const std::vector<instr>& body) const {
        std::vector<bool> live(body.size(), false);
        for (std::size_t v = body.size(); v-- > 0;) {
            if (body[v].op == opcode::store || is_kept(body[v])) live[v] = true;
            if (live[v]) {
                for_each_value(body[v],
                               [&](value_id u) { live[static_cast<std::size_t>(u)] = true; });
            }
        }
        std::vector<value_id> values;
        for (value_id v : values_) {
            if (live[static_cast<std::size_t>(v)]) values.push_back(v);
        }
        return values;
    }

    bool is_kept(const instr& i) const {
        return i.op == opcode::load &&
               k_.operands[static_cast<std::size_t>(i.a)].use == role::output;
    }

    value_id expand(const instr& i) {
        switch (i.op) {
            case opcode::row: return expand_row(i);
            case opcode::cast: return cast_value(value(i.a), i.in, i.type);
            case opcode::scalar: return expand_scalar(i);
            default: break;
        }
        instr kept = i;
        for_each_value(kept, [&](value_id& v) { v = value(v); });
        return builder_.emit(kept);
    }

    /// A scalar argument may be any number of its machine type, so a narrow one is rounded first.
    value_id expand_scalar(instr i) {
        const ScalarType type = i.type;
        i.type = logical_type(i.mt);
        for (const known_scalar& s : k_.known)
            if (s.number == i.a) return narrowed(builder_.constant(i.mt, s.bits), type);
        return narrowed(builder_.emit(i), type);
    }

    value_id narrowed(value_id v, ScalarType type) {
        if (!is_narrow(type)) return v;
        if (is_float(compute_type(type))) return narrow(ir<float>::at(v), type).id;
        return narrow(ir<int32_t>::at(v), type).id;
    }

    /// Returns true if a row only bounds elements by values that are the same for the whole row.
    bool bounds_rows(uint16_t row, const value_id (&args)[3]) const {
        if (row != op::maximum && row != op::minimum && row != op::clamp) return false;
        const auto is = [&](value_id v, domain d) { return builder_.at(v).dom == d; };
        return is(args[0], domain::element) && is(args[1], domain::row) &&
               (args[2] == none || is(args[2], domain::row));
    }

    value_id expand_row(const instr& i) {
        const op::row_info& row = op::rows[i.row];
        builder_.begin_formula();
        const value_id operands[] = {i.a, i.b, i.c};
        value_id args[3] = {none, none, none};
        for (int n = 0; n < row.arity && n < 3; n++) {
            const bool condition = row.rule == dtype_rule::choice && n == 0;
            const instr& from = k_.body[static_cast<std::size_t>(operands[n])];
            if (from.op == opcode::scalar && from.type == kFloat &&
                keeps_numbers_wide(i.row, i.in)) {
                args[n] = value(operands[n]);
                continue;
            }
            const value_id wide = i.fast && from.type == i.in ? fast_.wide(operands[n]) : none;
            if (wide != none) {
                args[n] = wide;
                continue;
            }
            args[n] = cast_value(value(operands[n]), type(operands[n]), condition ? kBool : i.in);
        }
        const mtype t = compute_type(row.rule == dtype_rule::random ? i.type : i.in);
        if (is_float(t) && bounds_rows(i.row, args))
            return narrowed(
                t == mtype::f32 ? bounded<float>(i.row, args) : bounded<double>(i.row, args),
                i.type);
        const expand_fn expansion = row_expansion(i.row, t);
        if (!expansion) {
            runtime::bug("decompose",
                         runtime::text("the row ", row.name, " has no formula in ", name_of(t)));
        }
        value_id result = i.fast ? fast_.expand(at_, args) : none;
        builder_.brief = is_narrow_float(i.in);
        builder_.fast = i.fast;
        if (result == none) result = expansion(args);
        builder_.brief = builder_.fast = false;
        if (!i.fast) return narrowed(result, i.type);
        fast_.keep(at_, result);
        return narrowed(result, i.type);
    }

    const kernel& k_;
    fast_rows fast_;
    value_id at_ = 0;
    builder builder_;
    std::vector<value_id> values_;
};

}  // namespace

kernel decompose(const kernel& k) {
    if (k.primitive) runtime::bug("decompose", "the kernel is at primitive level already");
    verify(k);
    kernel result = k;
    result.primitive = true;
    result.body = decomposer(k).run();
    if (!result.has_reduction()) result.form = row_form::any;  // a dead reduction may be gone
    verify(result);
    return result;
}

}  // namespace sinter::kernel_ir
