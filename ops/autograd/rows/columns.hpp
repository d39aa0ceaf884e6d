// The derivative columns of the table of rows (include/sinter/op/elementwise.def), as rows.
#pragma once

#include "ops/autograd/rows/row_program.hpp"

namespace sinter::inline v1::autograd {

/// What a row's result does with a change of one of its operands.
enum class column_kind : uint8_t {
    derivative,
    zero,  // nothing, where it is differentiable
    none,  // it is no function that one differentiates: truth values, integers, draws
    missing,
};

struct column {
    column_kind kind;
    const char* why;  // of none and missing
};

column column_of(op::id row, int operand);

/// Appends the derivative in `operand` times g, of the row of these operands, whose result is y.
/// The column must have one.
value put_derivative(row_program& p, op::id row, int operand, const std::array<value, 3>& operands,
                     value y, value g);

}  // namespace sinter::inline v1::autograd
