// Runs a program of rows in the interpreter, in one floating dtype.
#pragma once

#include "ops/autograd/rows/row_program.hpp"
#include "tests/support/by_interpreter.hpp"

#include <bit>
#include <type_traits>

namespace sinter::testing {

/// Returns an output of the program for each element of the inputs.
template <class T>
std::vector<T> run_rows(const autograd::row_program& p, autograd::value output,
                        const std::vector<std::vector<T>>& inputs) {
    using namespace kernel_ir;
    using word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
    constexpr ScalarType dtype = sizeof(T) == 4 ? kFloat : kDouble;
    const auto n = static_cast<int64_t>(inputs[0].size());
    kernel_ir::testing::kernel_builder b;
    std::vector<dense_input> memory;
    std::vector<uint64_t> scalars;
    std::vector<value_id> at;
    for (const autograd::row_value& v : p.values()) {
        const auto operand = [&](std::size_t k) {
            return at[static_cast<std::size_t>(v.operands[k])];
        };
        if (v.is == autograd::row_value::kind::input) {
            memory.push_back({dtype, reinterpret_cast<const char*>(inputs[at.size()].data())});
            at.push_back(b.load(dtype));
        } else if (v.is == autograd::row_value::kind::number) {
            scalars.push_back(std::bit_cast<word>(static_cast<T>(std::bit_cast<double>(v.bits))));
            at.push_back(b.scalar(dtype));
        } else {
            const bool of_truth = op::info(v.row).rule == dtype_rule::logical;
            const ScalarType in = of_truth ? kBool : dtype;
            const int arity = op::info(v.row).arity;
            at.push_back(arity == 1   ? b.row(v.row, in, {operand(0)})
                         : arity == 2 ? b.row(v.row, in, {operand(0), operand(1)})
                                      : b.row(v.row, in, {operand(0), operand(1), operand(2)}));
        }
    }
    b.store(at[static_cast<std::size_t>(output)], stride_class::unit, domain::element);
    const interpreted done = run_interpreter(b.get(), memory, dtype, 1, n, false, scalars);
    std::vector<T> result(inputs[0].size());
    std::memcpy(result.data(), done.out.data(), done.out.size());
    return result;
}

}  // namespace sinter::testing
