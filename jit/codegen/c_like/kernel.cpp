#include "jit/codegen/c_like/kernel.hpp"

#include "jit/codegen/c_like/form.hpp"
#include "jit/kernel_ir/opcodes.hpp"

#include <algorithm>

namespace sinter::codegen {

using kernel_ir::domain;
using kernel_ir::instr;
using kernel_ir::kernel;
using kernel_ir::opcode;

bool runs_by_rows(const kernel& k) {
    // A dead reduction may be gone while loads and stores once per row remain. A guard once per row
    // is raised even by rows without elements. Kept outputs need stages.
    return k.keeps_values() || std::any_of(k.body.begin(), k.body.end(), [](const instr& i) {
               const bool once_a_row =
                   i.op == opcode::load || i.op == opcode::store || i.op == opcode::guard;
               return i.op == opcode::reduce || (i.dom == domain::row && once_a_row);
           });
}

std::string c_arguments_of(const kernel& k, const loop_shape& shape) {
    return runs_by_rows(k) ? c_operand(shape) + c_arguments(k, shape)
                           : c_element_arguments(k, shape, "kernel");
}

std::string c_kernel(const dialect& to, const kernel& k, const loop_shape& shape,
                     c_like_function& function) {
    function.by_rows = runs_by_rows(k);
    return function.by_rows ? c_rows_kernel(to, k, shape, function)
                            : c_elements_kernel(to, k, shape, function.name);
}

}  // namespace sinter::codegen
