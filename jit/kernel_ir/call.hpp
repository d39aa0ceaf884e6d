// The calling convention of compiled and interpreted kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::kernel_ir {

struct operand_arg {
    char* ptr;       // role::index: the base index, as an integer
    int64_t s1;      // byte stride along rows (role::index: index step)
    int64_t s0;      // byte stride along elements
    int64_t s2 = 0;  // byte stride from one time to the next, see kernel_call::n2
};

/// What a call does. `rows`: all stages of rows [0, n1). `partials`: only for a kernel with
/// reductions: the reductions of stage `stage` for row 0, chunks [chunk_begin, chunk_end), each
/// chunk's folded state written to `partials`. `elements`: the stores of stage `stage` for row 0,
/// elements [chunk_begin * C, min(chunk_end * C, n0)). The last two let several threads share one
/// long row. They are compiled only where lanes::element, no output keeps a value (such rows are
/// short) and rows may have several chunks; results of earlier stages are read from `row_values`,
/// where the caller put them.
///
/// `elements` with `stage` == the number of stages does only the schedule's `after`: the row values
/// and row stores of row 0, from the complete `row_values`. It touches no element. The launcher
/// runs a shared row as: for each stage s, `partials` of s if it has reductions (n0 > 0 there), the
/// merge, `elements` of s if it has stores; then once `elements` of stage count if `after` has a
/// store. Row values (loads, scalars, arithmetic) are computed again by every call that needs them.
///
/// Words. A value is the bit pattern of its machine type in the low bytes, the rest zero; b1 is 0
/// or 1; Half is f32. States lie in `partials` as partial_layout (schedule.hpp) says: that of
/// reduces[i] of the stage for chunk c begins at word c * words + offsets[i], with c counted from
/// chunk 0 of the row, not from chunk_begin. The index of an arg state counts from the row's first
/// element. Word r of `row_values` is the finished result (rounded to its logical type) of the r-th
/// `reduce` of the body; only those of stages before `stage` are set.
///
/// `runs`: what `partials` does, of a kernel with `runs` (kernel_ir.hpp), which offers it in the
/// place of `rows` and `partials`. `pieces` says for each chunk from chunk_begin on where its
/// elements are: a word with the number of pieces, then for each one its first element and the one
/// behind its last, counted from the chunk's first, and for every operand the address (role::index:
/// the index) that element 0 of the chunk would have were all of it laid out like this
/// piece. Pieces are in order, and leave out no element.
///
/// Stages, states and numbering are those of the kernel at primitive level, as `decompose` gives
/// it.
enum class call_mode : int64_t { rows = 0, partials = 1, elements = 2, runs = 3 };

struct kernel_call {
    const operand_arg* operands;
    const uint64_t* scalars;  // bit patterns, low bytes of each word
    uint64_t* status;
    int64_t n1;
    int64_t n0;
    call_mode mode;
    int64_t stage;
    int64_t chunk_begin;
    int64_t chunk_end;
    uint64_t* partials;          // out, see call_mode
    const uint64_t* row_values;  // finished reductions of earlier stages, see call_mode
    const uint64_t* pieces;      // see call_mode
    /// Of compiled code for a kernel with `few`: all rows so many times, operands `s2` further on
    /// each time. Others are told of one time only.
    int64_t n2 = 1;
};

using kernel_fn = void (*)(const kernel_call*);

/// Runs calls of one kernel without code of its own. Const calls may run concurrently.
class call_runner {
public:
    enum class means : uint8_t { interpreter, blocks };

    virtual ~call_runner() = default;
    virtual void run_call(const kernel_call& call) const = 0;
    virtual means by() const = 0;
};

}  // namespace sinter::kernel_ir
