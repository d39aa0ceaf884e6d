// Loop fission: splits a long pass over elements into several short ones. The results of one part
// are kept in a buffer of a chunk's elements for the next part's loop. An out-of-order processor
// looks only a few dozen dependent operations ahead; a longer loop body keeps it from reaching the
// next elements, so it stalls.
#pragma once

#include "jit/codegen/llvm/emit_function.hpp"

namespace sinter::codegen {

struct pass_part {
    std::vector<value_id> ids;
    std::vector<value_id> taken, kept;  // values read from buffers, and values left in buffers
};

/// Splits `ids`, which `roots` depend on, in their order. Returns one part if splitting gains
/// nothing.
std::vector<pass_part> split_pass(const kernel_context& context, const std::vector<value_id>& ids,
                                  const std::vector<value_id>& roots);

}  // namespace sinter::codegen
