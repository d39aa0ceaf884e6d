// The text of one kernel, and of the parts of reductions that kernels call.
#pragma once

#include "jit/codegen/c_like/program.hpp"
#include "jit/kernel_ir/rows/fragments.hpp"

namespace sinter::codegen {

/// Whether a kernel, at primitive level, goes by rows.
bool runs_by_rows(const kernel_ir::kernel& k);

/// The function `function.name` of `k`, at primitive level, and what launches must know of it.
std::string c_kernel(const dialect& to, const kernel_ir::kernel& k, const loop_shape& shape,
                     c_like_function& function);
std::string c_elements_kernel(const dialect& to, const kernel_ir::kernel& k,
                              const loop_shape& shape, const std::string& name);
/// All functions of a kernel by rows, and what launches must know of them.
std::string c_rows_kernel(const dialect& to, const kernel_ir::kernel& k, const loop_shape& shape,
                          c_like_function& function);

/// The structs that functions with so many operands, scalars and dimensions take.
std::string c_operand_type(const loop_shape& shape);
std::string c_operand(const loop_shape& shape);
std::string c_arguments_type(const kernel_ir::kernel& k, const loop_shape& shape);
std::string c_arguments(const kernel_ir::kernel& k, const loop_shape& shape);

/// What the functions of a reduction over values of type `in` are called, up to the part's name.
std::string c_reduction_name(uint16_t reduction, ScalarType in);
std::string c_reduction(const dialect& to, uint16_t reduction, ScalarType in);

}  // namespace sinter::codegen
