// Block rows: every operation, conversion and reduction step as a compiled function over contiguous
// blocks, once per compute type and instruction set level. Eager execution consists of them.
//
// A block holds the compute form of a logical type: narrow types as the wider type that they are
// computed in, Bool as bytes 0 and 1, everything else unchanged. The level is chosen once per
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

/// Returns the level in use: the highest that this CPU has, or the one that SINTER_ISA (baseline,
/// v3, v4) names. Throws ValueError if the CPU or build lacks that one.
isa level();
/// Returns true if the library contains this level and the CPU runs it.
bool available(isa level);
/// Sets the level of every later look-up; for tests.
void set_level(isa level);

/// One operation over a block of n elements. Operand k has n elements, or one if uniform[k]. `out`
/// may be the same block as an operand. A failed guard adds its bits to *status.
using block_fn = void (*)(void* out, const void* const* in, const bool* uniform, int64_t n,
                          uint64_t* status);

/// Returns the row computed in `in`, or null if its rule excludes that type. `out` matters for
/// random rows only, whose result type the program states.
block_fn find(op::id row, ScalarType in, ScalarType out);

/// Loads n elements of a storage type, `stride` bytes apart, into a block in the compute form of a
/// logical type, by PyTorch's conversion rules.
using load_fn = void (*)(void* block, const char* from, int64_t stride, int64_t n);
load_fn find_load(ScalarType storage, ScalarType logical);

/// Stores a block in the compute form of a logical type to n elements of a storage type, `stride`
/// bytes apart. Rounds the elements of a narrow logical type.
using store_fn = void (*)(char* to, int64_t stride, const void* block, int64_t n);
store_fn find_store(ScalarType logical, ScalarType storage);

/// The steps of a reduction in the order of reduce_order.hpp. The states of `width` columns are two
/// arrays: `a` (accumulator; best value; mean) and `b` (arg: index as int64; moments: squared
/// deviations; fold: unused). Elements have the accumulator type, except the index.
struct reduce_fns {
    int passes;  // over the elements of a chunk: 2 for moments

    /// Computes the state of one chunk of n contiguous elements; `first` is the index of the first
    /// one.
    void (*chunk)(void* a, void* b, const void* x, int64_t n, int64_t first);

    /// Reduces columns side by side: `rows` adds `count` rows of `width` elements to `lanes`
    /// (reduce_lanes * width elements), where rows[i] is element j + i of the chunk. j is a
    /// multiple of reduce_lanes; j = 0 starts the lanes. `fold` ends a pass over n elements.
    void (*rows)(void* a, void* b, void* lanes, const void* const* rows, int64_t j, int64_t count,
                 int64_t width, int64_t first, int pass);
    void (*fold)(void* a, void* b, void* lanes, int64_t n, int64_t width, int pass);

    /// (a, b) = combine((a, b), (upper_a, upper_b)), states of n and upper_n elements.
    void (*merge)(void* a, void* b, const void* upper_a, const void* upper_b, int64_t width,
                  int64_t n, int64_t upper_n);
    /// Sets the states of empty ranges.
    void (*identity)(void* a, void* b, int64_t width);
    /// Computes results from states of n elements; `parameter` is the correction of moments.
    void (*finish)(void* out, const void* a, const void* b, int64_t width, int64_t n,
                   double parameter);
};

/// Returns the reduction with accumulators in the compute form of `accumulator`, or null if there
/// is none.
const reduce_fns* find_reduce(op::reduction row, ScalarType accumulator);

/// Most rows, columns and summands of a small product: its matrices fit into the first-level cache,
/// and its columns into registers.
inline constexpr int64_t small_matrix = 32;

/// Matrices `step` elements apart; `row` and `col` are the strides within one.
struct small_factor {
    const void* data;
    int64_t row, col, step;
};

/// Computes `count` products of small matrices: out (m x n, dense, contiguous) = a (m x k) times b
/// (k x n). Each element is one sum over rising k.
using product_fn = void (*)(void* out, const small_factor& a, const small_factor& b, int64_t m,
                            int64_t n, int64_t k, int64_t count);
/// Returns null for all types but kFloat and kDouble.
product_fn find_product(ScalarType type);

/// Factors and eigenvalues of up to `lanes` matrices of n rows and columns, at most small_matrix,
/// computed side by side: `count` column-major matrices a[k] with leading dimension `ld`. Pivots
/// and `info` are LAPACK's. Where a factor fails, what a[k] holds is not specified.
struct small_factor_fns {
    int lanes;
    void (*lu)(void* const* a, int ld, int n, int* const* pivots, int* const* info, int count);
    /// b[k], of `columns` columns, becomes the solution.
    void (*lu_solve)(const void* const* lu, int ld, int n, const int* const* pivots, void* const* b,
                     int ldb, int columns, bool transposed, int count);
    void (*inverse)(void* const* a, int ld, int n, int* const* info, int count);
    /// Reads one triangle, and sets the other one to zero.
    void (*cholesky)(void* const* a, int ld, int n, bool upper, int* const* info, int count);
    void (*cholesky_solve)(const void* const* factor, int ld, int n, bool upper, void* const* b,
                           int ldb, int columns, int count);
    /// Eigenvalues of symmetric matrices, ascending; a[k] becomes the vectors, or is lost. Reads
    /// one triangle. `info`: LAPACK's, or -1 for elements that are not finite. What a matrix gets
    /// depends on nothing but its elements: no other matrix, no lane, no level.
    void (*eigen)(void* const* a, int ld, int n, bool upper, bool vectors, void* const* values,
                  int* const* info, int count);
};
/// Returns null for all types but kFloat and kDouble.
const small_factor_fns* find_factors(ScalarType type);

/// Returns the logical type that elements of type `in` are converted to before accumulation.
ScalarType accumulator_type(op::reduction row, ScalarType in);
/// Returns the logical type of the result.
ScalarType result_type(op::reduction row, ScalarType in);
ScalarType result_type(op::id row, ScalarType in, ScalarType stated);

/// Returns the dtype whose memory layout equals a block of `logical`.
constexpr ScalarType form_type(ScalarType logical) { return compute_dtype(logical); }

/// Returns the bytes per element of a block in the compute form of `logical`.
constexpr std::size_t block_size(ScalarType logical) { return elementSize(form_type(logical)); }

}  // namespace sinter::block
