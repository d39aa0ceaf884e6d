// Runs one operation over dense arrays in the interpreter, as the reference for block rows and
// eager operations.
#pragma once

#include "jit/interpret/interpret.hpp"
#include "tests/support/element_types.hpp"
#include "tests/support/kernel_builder.hpp"

#include <sinter/dtype.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace sinter::testing {

using bytes = std::vector<char>;

inline bytes make_bytes(ScalarType type, int64_t n) {
    return bytes(elementSize(type) * static_cast<std::size_t>(n));
}

inline uint64_t element_bits(ScalarType type, const char* at) {
    uint64_t bits = 0;
    std::memcpy(&bits, at, elementSize(type));
    return bits;
}

/// Returns the index of the first element whose bits differ, with NaNs equal; -1 if there is none.
inline int64_t first_difference(ScalarType type, const char* a, const char* b, int64_t n) {
    const auto size = static_cast<int64_t>(elementSize(type));
    for (int64_t i = 0; i < n; i++) {
        const uint64_t x = element_bits(type, a + i * size), y = element_bits(type, b + i * size);
        if (x != y && !(is_nan(type, x) && is_nan(type, y))) return i;
    }
    return -1;
}

struct dense_input {
    ScalarType type;
    const char* data;
    bool one = false;     // true: a single value for all elements
    bool scalar = false;  // true: a scalar argument, in the compute type of `type`
};

struct interpreted {
    bytes out;
    uint64_t status = 0;
};

/// Runs `k`, whose operands are inputs and then one output of `out_type`, over n1 rows of n0
/// elements.
inline interpreted run_interpreter(const kernel_ir::kernel& k,
                                   const std::vector<dense_input>& inputs, ScalarType out_type,
                                   int64_t n1, int64_t n0, bool out_a_row,
                                   const std::vector<uint64_t>& scalars = {}) {
    interpreted r;
    r.out = make_bytes(out_type, n1 * (out_a_row ? 1 : n0));
    std::vector<kernel_ir::operand_arg> args;
    for (const dense_input& in : inputs) {
        if (in.scalar) continue;
        const auto size = static_cast<int64_t>(elementSize(in.type));
        args.push_back({const_cast<char*>(in.data), in.one ? 0 : size * n0, in.one ? 0 : size});
    }
    const auto size = static_cast<int64_t>(elementSize(out_type));
    args.push_back({r.out.data(), out_a_row ? size : size * n0, out_a_row ? 0 : size});
    kernel_ir::kernel_call call{};
    call.operands = args.data();
    call.scalars = scalars.data();
    call.status = &r.status;
    call.n1 = n1;
    call.n0 = n0;
    kernel_ir::interpret(k, call);
    return r;
}

/// Computes row(inputs...) in `in`, with inputs converted to the row's types, and stores it as
/// `out_type`.
inline interpreted interpret_row(op::id row, ScalarType in, ScalarType result,
                                 const std::vector<dense_input>& inputs, ScalarType out_type,
                                 int64_t n) {
    using namespace kernel_ir;
    kernel_ir::testing::kernel_builder b;
    std::vector<value_id> args;
    std::vector<uint64_t> scalars;
    for (std::size_t k = 0; k < inputs.size(); k++) {
        ScalarType wanted = in;
        if (op::info(row).rule == dtype_rule::choice && k == 0) wanted = kBool;
        if (op::info(row).rule == dtype_rule::random) wanted = kLong;
        value_id v;
        if (inputs[k].scalar) {
            v = b.scalar(wanted);
            scalars.push_back(element_bits(inputs[k].type, inputs[k].data));
        } else {
            const auto lane = inputs[k].one ? stride_class::zero : stride_class::unit;
            v = b.load(inputs[k].type, lane);
            if (inputs[k].type != wanted) v = b.cast(v, wanted);
        }
        args.push_back(v);
    }
    value_id r = args.size() == 1   ? b.row_as(row, result, in, {args[0]})
                 : args.size() == 2 ? b.row_as(row, result, in, {args[0], args[1]})
                                    : b.row_as(row, result, in, {args[0], args[1], args[2]});
    if (result != out_type) r = b.cast(r, out_type);
    b.store(r, stride_class::unit, domain::element);
    return run_interpreter(b.get(), inputs, out_type, 1, n, false, scalars);
}

inline bytes interpret_cast(ScalarType from, const std::vector<ScalarType>& through,
                            const char* data, int64_t n) {
    kernel_ir::testing::kernel_builder b;
    kernel_ir::value_id v = b.load(from);
    ScalarType type = from;
    for (ScalarType to : through) {
        if (to != type) v = b.cast(v, to);
        type = to;
    }
    b.store(v);
    return run_interpreter(b.get(), {{from, data}}, type, 1, n, false).out;
}

/// Reduces each of n1 rows of n0 dense elements, converted to `in`.
inline bytes interpret_reduce(op::reduction reduction, ScalarType from, ScalarType in,
                              const char* data, int64_t n1, int64_t n0, double correction,
                              ScalarType* result) {
    using namespace kernel_ir;
    kernel_ir::testing::kernel_builder b;
    value_id v = b.load(from);
    if (from != in) v = b.cast(v, in);
    value_id parameter = none;
    std::vector<uint64_t> scalars;
    if (op::info(reduction).kind == op::reduction_kind::moments) {
        parameter = b.scalar(in == kDouble ? kDouble : kFloat);
        if (in == kDouble)
            scalars.push_back(std::bit_cast<uint64_t>(correction));
        else
            scalars.push_back(std::bit_cast<uint32_t>(static_cast<float>(correction)));
    }
    const value_id r = b.reduce(reduction, v, parameter);
    *result = b.at(r).type;
    b.store(r);
    return run_interpreter(b.get(), {{from, data}}, *result, n1, n0, true, scalars).out;
}

}  // namespace sinter::testing
