// The calling convention of compiled and interpreted kernels.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sinter::kernel_ir {

struct operand_arg {
    char* ptr;       // role::index: the base index, as an integer
    int64_t s1;      // byte stride along rows (role::index: index step)
    int64_t s0;      // byte stride along elements
    int64_t s2 = 0;  // byte stride between repetitions, see kernel_call::n2
};

/// The part of a kernel that a call runs.
///
/// `rows`: all stages of rows [0, n1).
/// `partials`, for a kernel with reductions: the reductions of stage `stage` for row 0, chunks
/// [chunk_begin, chunk_end). The folded state of each chunk is written to `partials`.
/// `elements`: the stores of stage `stage` for row 0, elements [chunk_begin * C, min(chunk_end * C,
/// n0)). With `stage` == the number of stages it runs only the schedule's `after`: the row values
/// and row stores of row 0, from the complete `row_values`. It then touches no element.
/// `runs`: does what `partials` does, for a kernel of form `runs` (kernel_ir.hpp), which has it
/// instead of `rows` and `partials`.
///
/// `partials` and `elements` let several threads share one long row. They are compiled only if
/// lanes run along elements, no output keeps a value (such rows are short) and rows may have
/// several chunks. Results of earlier stages are read from `row_values`, which the caller fills.
///
/// The launcher runs a shared row as follows. For each stage s it runs `partials` of s if s has
/// reductions (with n0 > 0), merges the states, and runs `elements` of s if s has stores. At the
/// end it runs `elements` of the stage count once if `after` has a store. Row values (loads,
/// scalars, arithmetic) are recomputed by every call that needs them.
///
/// A word holds the bit pattern of a machine type in its low bytes; the rest is zero. b1 is 0 or 1;
/// Half is f32. States lie in `partials` as partial_layout (schedule.hpp) says: the state of the
/// stage's reduces[i] for chunk c begins at word c * words + offsets[i], where c counts from chunk
/// 0 of the row, not from chunk_begin. The index in an arg state counts from the row's first
/// element. Word r of `row_values` is the finished result (rounded to its logical type) of the r-th
/// `reduce` of the body. Only the words of stages before `stage` are set.
///
/// `pieces` locates the elements of each chunk from chunk_begin on. A chunk has one word with its
/// number of pieces, then for each piece its first element and its end, both counted from the
/// chunk's first element, and one word per operand: the address (role::index: the index) that
/// element 0 of the chunk would have if the whole chunk were laid out like this piece. Pieces are
/// in order and cover every element.
///
/// Stages, states and numbers are those of the kernel at primitive level, as `decompose` returns
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
    /// Compiled code of a kernel of form `few` runs all rows n2 times and advances operands by `s2`
    /// each time. For all other kernels n2 is 1.
    int64_t n2 = 1;
};

using kernel_fn = void (*)(const kernel_call*);

/// Runs calls of one kernel that has no compiled code. Const calls may run concurrently.
class call_runner {
public:
    enum class means : uint8_t { interpreter, blocks };

    virtual ~call_runner() = default;
    virtual void run_call(const kernel_call& call) const = 0;
    virtual means by() const = 0;
};

}  // namespace sinter::kernel_ir
