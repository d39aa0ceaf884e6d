// Prints a formula of include/sinter/math as a function of C-like text.
#pragma once

#include "jit/codegen/c_like/program.hpp"
#include "jit/kernel_ir/rows/ir_number.hpp"

#include <string>

namespace sinter::codegen {

using formula_number = kernel_ir::ir<double>;

/// Returns the definition of `f64 name(f64, f64)` and of the tables that it reads. It must follow
/// c_prelude.
std::string c_formula(const dialect& to, const std::string& name,
                      formula_number (*formula)(formula_number, formula_number));

}  // namespace sinter::codegen
