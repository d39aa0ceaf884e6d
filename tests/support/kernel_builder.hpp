// Helpers to write row-level kernels in tests.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/kernel_ir/schedule.hpp"

#include <sinter/error.hpp>
#include <sinter/op/op.hpp>

#include <initializer_list>

namespace sinter::kernel_ir::testing {

/// Returns true if `rule` allows operands to be computed in `in`.
inline bool allows(dtype_rule rule, ScalarType in) {
    switch (rule) {
        case dtype_rule::any:
        case dtype_rule::matched:
        case dtype_rule::test:
        case dtype_rule::choice: return is_supported(in);
        case dtype_rule::numeric:
        case dtype_rule::power: return is_supported(in) && in != kBool;
        case dtype_rule::floating:
        case dtype_rule::real: return is_supported(in) && isFloatingType(in);
        case dtype_rule::wide: return in == kFloat || in == kDouble;
        case dtype_rule::logical: return in == kBool;
        case dtype_rule::bitwise: return is_supported(in) && isIntegralType(in, true);
        case dtype_rule::shift:
        case dtype_rule::whole: return is_supported(in) && isIntegralType(in, false);
        case dtype_rule::random: return in == kLong;
    }
    return false;
}

/// Returns the logical result type of a row computed in `in`; rows of rule `random` state theirs.
inline ScalarType result_type(op::id row, ScalarType in) {
    const dtype_rule rule = op::info(row).rule;
    return rule == dtype_rule::test || rule == dtype_rule::logical ? kBool : in;
}

inline ScalarType result_type(op::reduction reduction, ScalarType in) {
    switch (op::info(reduction).result) {
        case op::reduction_result::sum: return isIntegralType(in, true) ? kLong : in;
        case op::reduction_result::same:
        case op::reduction_result::floating: return in;
        case op::reduction_result::boolean: return kBool;
        case op::reduction_result::index: return kLong;
    }
    return in;
}

class kernel_builder {
public:
    explicit kernel_builder(lanes along = lanes::element) { k_.along = along; }

    int operand(role use, ScalarType type, stride_class lane) {
        k_.operands.push_back({use, type, lane});
        return static_cast<int>(k_.operands.size()) - 1;
    }
    value_id load(ScalarType type, stride_class lane = stride_class::unit,
                  domain dom = domain::element) {
        return load_from(operand(role::input, type, lane), dom);
    }
    value_id load_from(int operand, domain dom = domain::element) {
        return value({.op = opcode::load,
                      .type = k_.operands[static_cast<std::size_t>(operand)].type,
                      .dom = dom,
                      .a = operand});
    }
    value_id index(stride_class lane = stride_class::other, domain dom = domain::element) {
        const int o = operand(role::index, kLong, lane);
        return value({.op = opcode::index, .type = kLong, .dom = dom, .a = o});
    }
    value_id scalar(ScalarType type) {
        k_.scalars.push_back(compute_type(type));
        return value({.op = opcode::scalar,
                      .type = type,
                      .dom = domain::row,
                      .a = static_cast<value_id>(k_.scalars.size()) - 1});
    }
    value_id row(op::id row, ScalarType in, std::initializer_list<value_id> args) {
        return row_as(row, result_type(row, in), in, args);
    }
    value_id row_as(op::id row, ScalarType type, ScalarType in,
                    std::initializer_list<value_id> args) {
        instr i{.op = opcode::row, .type = type, .in = in, .dom = domain::row, .row = row};
        value_id* slots[] = {&i.a, &i.b, &i.c};
        int n = 0;
        for (value_id arg : args) {
            if (n == 3) throw InternalError("[kernel_builder] a row has at most three operands");
            *slots[n++] = arg;
            if (at(arg).dom == domain::element) i.dom = domain::element;
        }
        return value(i);
    }
    value_id cast(value_id a, ScalarType type) {
        return value(
            {.op = opcode::cast, .type = type, .in = at(a).type, .dom = at(a).dom, .a = a});
    }
    value_id reduce(op::reduction reduction, value_id a, value_id parameter = none) {
        return value({.op = opcode::reduce,
                      .type = result_type(reduction, at(a).type),
                      .in = at(a).type,
                      .dom = domain::row,
                      .row = static_cast<uint16_t>(reduction),
                      .a = a,
                      .b = parameter});
    }
    /// Stores into a new output operand; an element store may take a row value.
    value_id store(value_id v, stride_class lane, domain dom) {
        return store_to(operand(role::output, at(v).type, lane), v, dom);
    }
    value_id store(value_id v, stride_class lane = stride_class::unit) {
        const domain dom = at(v).dom;
        const bool one_a_row = dom == domain::row && k_.along == lanes::element;
        return store(v, one_a_row ? stride_class::zero : lane, dom);
    }
    value_id store_to(int operand, value_id v, domain dom) {
        return value({.op = opcode::store,
                      .type = k_.operands[static_cast<std::size_t>(operand)].type,
                      .dom = dom,
                      .a = operand,
                      .b = v});
    }

    const instr& at(value_id v) const { return k_.body[static_cast<std::size_t>(v)]; }
    const kernel& get() const { return k_; }

private:
    value_id value(instr i) {
        i.mt = compute_type(i.type);
        k_.body.push_back(i);
        return static_cast<value_id>(k_.body.size()) - 1;
    }

    kernel k_;
};

/// exp(x - amax(x)) / sum, with exp(x - amax(x)) kept in the output for the last stage:
/// %0 load, %1 amax, %2 sub, %3 exp, %4 store, %5 load, %6 sum, %7 div, %8 store
inline kernel kept_softmax(ScalarType type, lanes along = lanes::element) {
    kernel_builder b(along);
    const value_id x = b.load(type);
    const value_id top = b.reduce(op::reduction::amax, x);
    const value_id e = b.row(op::exp, type, {b.row(op::sub, type, {x, top})});
    const int out = b.operand(role::output, type, stride_class::unit);
    b.store_to(out, e, domain::element);
    const value_id kept = b.load_from(out);
    const value_id quotient = b.row(op::div, type, {kept, b.reduce(op::reduction::sum, e)});
    b.store_to(out, quotient, domain::element);
    return b.get();
}

}  // namespace sinter::kernel_ir::testing
