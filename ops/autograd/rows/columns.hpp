// The derivative columns of the table of rows (include/sinter/op/elementwise.def), as rows.
#pragma once

#include "ops/autograd/rows/row_program.hpp"

namespace sinter::inline v1::autograd {

/// What a row's result does with a change of one of its operands.
enum class column_kind : uint8_t {
    derivative,
    polygamma,  // a derivative, too, but none that rows compute
    zero,       // nothing, where it is differentiable
    none,       // it is no function that one differentiates: truth values, integers, draws
    missing,
};

struct column {
    column_kind kind;
    const char* why = nullptr;  // of none and missing
    int order = 0;              // of polygamma
};

column column_of(op::id row, int operand);
/// The same of a row that may compute in complex numbers.
column column_of(const row_value& v, int operand);

/// Appends the derivative in `operand` times g, of the row of these operands, whose result is y.
/// The column must have one.
value put_derivative(row_program& p, op::id row, int operand, const std::array<value, 3>& operands,
                     value y, value g);

/// Appends the gradient of an operand of a row that computes in complex numbers: dL/dRe + i dL/dIm.
value put_complex_gradient(row_program& p, const row_value& v, int operand,
                           const std::array<value, 3>& operands, value y, value g);
/// Appends the tangent of such a row's result, where g is that of the operand: the derivative times
/// g, or of rows that are not analytic the real-linear function whose adjoint the gradient is.
value put_complex_tangent(row_program& p, const row_value& v, int operand,
                          const std::array<value, 3>& operands, value y, value g);
/// Appends the derivative times g of minimum, maximum or clamp in the first operand, if the others
/// are numbers: 0 at the bounds, as in PyTorch.
value put_between(row_program& p, op::id row, const std::array<value, 3>& operands, value g);

}  // namespace sinter::inline v1::autograd
