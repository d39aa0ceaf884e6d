// The kernel source of one kernel, and of the parts of reductions that kernels call.
#pragma once

#include "jit/codegen/c_like/program.hpp"
#include "jit/kernel_ir/rows/fragments.hpp"

namespace sinter::codegen {

/// Returns true if a kernel at primitive level runs by rows (row_form) instead of by elements.
bool runs_by_rows(const kernel_ir::kernel& k);

/// Returns the function `function.name` of `k`, at primitive level. Fills in the properties in
/// `function` that launches need.
std::string c_kernel(const dialect& to, const kernel_ir::kernel& k, const loop_shape& shape,
                     c_like_function& function);
std::string c_elements_kernel(const dialect& to, const kernel_ir::kernel& k,
                              const loop_shape& shape, const std::string& name);
/// Returns all functions of a kernel by rows and fills in `function`.
std::string c_rows_kernel(const dialect& to, const kernel_ir::kernel& k, const loop_shape& shape,
                          c_like_function& function);

/// The argument structs of functions with these numbers of operands, scalars and dimensions: their
/// names and declarations.
std::string c_operand_type(const loop_shape& shape);
std::string c_operand(const loop_shape& shape);
std::string c_arguments_type(const kernel_ir::kernel& k, const loop_shape& shape);
std::string c_arguments(const kernel_ir::kernel& k, const loop_shape& shape);

/// Returns the common prefix of the names of a reduction's functions, for values of type `in`.
std::string c_reduction_name(uint16_t reduction, ScalarType in);
std::string c_reduction(const dialect& to, uint16_t reduction, ScalarType in);

}  // namespace sinter::codegen
