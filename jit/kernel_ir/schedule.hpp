// The order of work inside a kernel, derived from its values; the one definition that the
// interpreter and every code generator follow.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"

namespace sinter::kernel_ir {

/// One pass over the elements of a row, then the row values that it makes possible.
struct stage {
    std::vector<value_id> elements;  // element values to compute for each element, in SSA order
    std::vector<value_id> reduces;   // reductions completed by this stage
    std::vector<value_id> stores;    // element stores
    std::vector<value_id> before;    // row values to compute before the pass, in SSA order
};

struct schedule {
    std::vector<stage> stages;
    std::vector<value_id> after;    // row values and row stores after the last stage
    std::vector<int32_t> stage_of;  // per value: the stage that computes it first, -1 if dead
};

/// `before` and `after` list every live row value once, where it first becomes computable; the
/// values of reductions are in `reduces`. What no store needs is dead and in no list.
schedule make_schedule(const kernel& k);

/// Words of state that a chunk of a reduction leaves in `partials`: fold 1 (bit pattern of the
/// accumulator), arg 2 (value bits, index), moments 2 (mean bits, squared deviations bits).
int state_words(const instr& reduce);

/// Where `kernel_call::partials` holds the states of one stage's chunks: those of chunk c begin at
/// word c * words, counted from chunk 0 of the row; `offsets[i]` in them is the state of
/// reduces[i].
struct partial_layout {
    int64_t words = 0;
    std::vector<int64_t> offsets;
};
partial_layout make_partial_layout(const kernel& k, const stage& s);

/// Accumulator machine type of a reduction over values of logical type `in`.
mtype accumulator_type(uint16_t reduction, ScalarType in);

}  // namespace sinter::kernel_ir
