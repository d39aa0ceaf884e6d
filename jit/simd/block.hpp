// Block rows: every operation, conversion and reduction step as a compiled function over contiguous
// blocks, once per compute type and instruction set level. Eager execution is made of them.
//
// A block holds the compute form of a logical type: narrow types as the wider type that they are
// computed in, Bool as bytes 0 and 1, everything else as itself. The levels are chosen once a
// process; all levels give the same bits.
#pragma once

#include "jit/kernel_ir/kernel_ir.hpp"
#include "jit/kernel_ir/reduce_order.hpp"

#include <sinter/dtype.hpp>
#include <sinter/op/op.hpp>

#include <cstddef>
#include <cstdint>

namespace sinter::block {

enum class isa { baseline, v3, v4 };

/// The level in use: the highest that this CPU has, or what SINTER_ISA (baseline, v3, v4) asks for
/// if the CPU has it.
isa level();
/// Whether the library holds this level and the CPU runs it.
bool available(isa level);
/// For tests: takes effect for every later look-up.
void set_level(isa level);

/// One operation over a block of n elements. Operand k is n elements, or one where uniform[k].
/// `out` may be the very block of an operand. A guard that fails adds to *status.
using block_fn = void (*)(void* out, const void* const* in, const bool* uniform, int64_t n,
                          uint64_t* status);

/// The row computed in `in`, null where its rule excludes that. `out` counts for random rows only,
/// whose result type the program states.
block_fn find(op::id row, ScalarType in, ScalarType out);

/// n elements of a storage type, `stride` bytes apart, to a block in the compute form of a logical
/// type, by PyTorch's conversion rules.
using load_fn = void (*)(void* block, const char* from, int64_t stride, int64_t n);
load_fn find_load(ScalarType storage, ScalarType logical);

/// A block in the compute form of a logical type to n elements of a storage type, `stride` bytes
/// apart. A block of a narrow type is rounded here.
using store_fn = void (*)(char* to, int64_t stride, const void* block, int64_t n);
store_fn find_store(ScalarType logical, ScalarType storage);

/// The steps of a reduction in the order of reduce_order.hpp. States of `width` columns are two
/// arrays: `a` (accumulator; best value; mean) and `b` (arg: index as int64; moments: squared
/// deviations; fold: unused), each of accumulator type but for the index.
struct reduce_fns {
    int passes;  // over the elements of a chunk: 2 for moments

    /// The state of one chunk of n contiguous elements; `first` is the index of its first one.
    void (*chunk)(void* a, void* b, const void* x, int64_t n, int64_t first);

    /// Columns side by side: takes `count` rows of `width` elements, rows[i] being element j + i of
    /// the chunk, into `lanes` (reduce_lanes * width elements). j is a multiple of reduce_lanes;
    /// j = 0 starts the lanes. `fold` ends the pass, n elements in all.
    void (*rows)(void* a, void* b, void* lanes, const void* const* rows, int64_t j, int64_t count,
                 int64_t width, int64_t first, int pass);
    void (*fold)(void* a, void* b, void* lanes, int64_t n, int64_t width, int pass);

    /// (a, b) = combine((a, b), (upper_a, upper_b)), states of n and upper_n elements.
    void (*merge)(void* a, void* b, const void* upper_a, const void* upper_b, int64_t width,
                  int64_t n, int64_t upper_n);
    /// The states of no elements.
    void (*identity)(void* a, void* b, int64_t width);
    /// Results from states of n elements; `parameter` is the correction of moments.
    void (*finish)(void* out, const void* a, const void* b, int64_t width, int64_t n,
                   double parameter);
};

/// The reduction with accumulators in the compute form of `accumulator`; null where there is none.
const reduce_fns* find_reduce(op::reduction row, ScalarType accumulator);

/// Rows, columns and sums that are small: every matrix and the sums over one fit into a first-level
/// cache, and columns into registers.
inline constexpr int64_t small_matrix = 32;

/// Matrices `step` elements apart; `row` and `col` are the strides in one.
struct small_factor {
    const void* data;
    int64_t row, col, step;
};

/// `count` products of small matrices: out (m x n, dense, one behind the other) = a (m x k) times b
/// (k x n), each element one sum with k rising.
using product_fn = void (*)(void* out, const small_factor& a, const small_factor& b, int64_t m,
                            int64_t n, int64_t k, int64_t count);
/// Null for all but kFloat and kDouble.
product_fn find_product(ScalarType type);

/// Logical type that elements of type `in` are converted to before they are accumulated.
ScalarType accumulator_type(op::reduction row, ScalarType in);
/// Logical type of the result.
ScalarType result_type(op::reduction row, ScalarType in);
ScalarType result_type(op::id row, ScalarType in, ScalarType stated);

/// The dtype whose elements lie in memory as a block of `logical` does.
constexpr ScalarType form_type(ScalarType logical) {
    if (!kernel_ir::is_narrow(logical)) return logical;
    return isFloatingType(logical) ? kFloat : kInt;
}

/// Bytes per element of a block in the compute form of `logical`.
constexpr std::size_t block_size(ScalarType logical) { return elementSize(form_type(logical)); }

}  // namespace sinter::block
