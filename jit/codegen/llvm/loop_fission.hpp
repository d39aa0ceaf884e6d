// A long pass over elements as several short ones: what one function of a chain computes waits in a
// buffer of a chunk's elements for the next one's loop. A processor looks ahead as far as a few
// dozen operations that wait for each other; with more of them in a loop's body it no longer
// reaches the next elements, and waits.
#pragma once

#include "jit/codegen/llvm/emit_function.hpp"

namespace sinter::codegen {

struct pass_part {
    std::vector<value_id> ids;
    std::vector<value_id> taken, kept;  // what lies in a buffer before, and after
};

/// `ids` in their order, which `roots` are made of: one part where splitting gains nothing.
std::vector<pass_part> split_pass(const kernel_context& context, const std::vector<value_id>& ids,
                                  const std::vector<value_id>& roots);

}  // namespace sinter::codegen
