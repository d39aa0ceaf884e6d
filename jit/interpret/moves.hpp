// Moves of elements that keep every bit.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::kernel_ir {

/// Returns a kernel at row level with 16-bit floats that are only loaded and stored changed to
/// integers: a conversion to float and back would lose bits of NaNs.
kernel with_moves_as_integers(kernel k);

}  // namespace sinter::kernel_ir
