// The order of computation inside a kernel, derived from its values. The interpreter and every code
// generator follow this one definition.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::kernel_ir {

/// One pass over the elements of a row, then the row values that become computable.
struct stage {
    std::vector<value_id> elements;  // element values to compute for each element, in SSA order
    std::vector<value_id> reduces;   // reductions completed by this stage
    std::vector<value_id> stores;    // element stores
    std::vector<value_id> before;    // row values to compute before the pass, in SSA order
};

struct schedule {
    std::vector<stage> stages;
    std::vector<value_id> after;    // row values and row stores after the last stage
    std::vector<int32_t> stage_of;  // per value: the first stage that computes it, -1 if dead
};

/// Returns the schedule of `k`. `before` and `after` list every live row value once, where it first
/// becomes computable; reductions are in `reduces`. Values that no store needs are dead and in no
/// list.
schedule make_schedule(const kernel& k);

/// Returns the number of words that a chunk of a reduction leaves in `partials`: fold 1 (bit
/// pattern of the accumulator), arg 2 (value bits, index), moments 2 (mean bits, squared deviations
/// bits).
int state_words(const instr& reduce);

/// The layout of one stage's chunk states in `kernel_call::partials`. The states of chunk c begin
/// at word c * words, counted from chunk 0 of the row; `offsets[i]` within them is the state of
/// reduces[i].
struct partial_layout {
    int64_t words = 0;
    std::vector<int64_t> offsets;
};
partial_layout make_partial_layout(const kernel& k, const stage& s);

/// Returns the accumulator machine type of a reduction over values of logical type `in`.
mtype accumulator_type(uint16_t reduction, ScalarType in);

}  // namespace sinter::kernel_ir
