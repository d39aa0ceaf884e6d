// What a block keeps of its rows in shared memory between the passes of a kernel by rows.
#pragma once

#include "jit/kernel_ir/schedule.hpp"

#include <vector>

namespace sinter::codegen {

struct kept_rows {
    std::vector<std::size_t> operands;  // dense inputs that more than one pass loads

    /// A value that the pass of `stage` computes and later ones would compute again. It takes the
    /// place of the elements of `replaced`, which only its computation needs; these are then kept
    /// in the type in which they are computed, that of the value.
    kernel_ir::value_id value = kernel_ir::none;
    std::size_t stage = 0, replaced = 0;
};

/// Returns what can be kept; a value only if it saves enough.
kept_rows find_kept(const kernel_ir::kernel& k, const kernel_ir::schedule& order);

/// Returns the bytes that an operand or the value in its place take for each element.
int64_t kept_size(const kernel_ir::kernel& k, const kept_rows& kept, std::size_t operand);

/// Returns the element values that a stage computes, or reads, after `value` is kept.
std::vector<kernel_ir::value_id> elements_after(const kernel_ir::kernel& k,
                                                const kernel_ir::stage& s,
                                                kernel_ir::value_id value);

}  // namespace sinter::codegen
