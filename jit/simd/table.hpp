// The functions of one level, and the functions that fill its table.
#pragma once

#include "jit/simd/block.hpp"

// Every source of a level is compiled once per level, with a different SINTER_BLOCK_LEVEL. It must
// define no symbol that another level or the rest of the library also defines: the linker would
// keep one copy, perhaps with instructions that the CPU lacks. So everything is in a namespace of
// the level, formulas carry the instruction set in the type host<T, Isa>, and templates of the
// standard library are not instantiated. tests/jit/simd/symbols.sh checks the objects.
#ifndef SINTER_BLOCK_LEVEL
#define SINTER_BLOCK_LEVEL baseline
#endif

namespace sinter::block {

/// Bytes of the level's vectors.
#if defined(__AVX512F__)
static constexpr int vector_bytes = 64;
#elif defined(__AVX2__)
static constexpr int vector_bytes = 32;
#else
static constexpr int vector_bytes = 16;
#endif

inline constexpr int compute_types = 6;  // kernel_ir::mtype
inline constexpr int narrow_slot = compute_types;

struct table {
    /// Random rows: by result type; others: by operand type, narrow floats last.
    block_fn rows[op::count][compute_types + 1];
    load_fn loads[tensor_dtypes][tensor_dtypes];
    store_fn stores[tensor_dtypes][tensor_dtypes];
    reduce_fns reductions[static_cast<int>(op::reduction::count)][compute_types];
    product_fn float_product, double_product;
    small_factor_fns float_factors, double_factors;
};

#define SINTER_BLOCK_FILLS(level)     \
    namespace level {                 \
    void fill_rows_arith(table& t);   \
    void fill_rows_power(table& t);   \
    void fill_rows_trig(table& t);    \
    void fill_rows_special(table& t); \
    void fill_rows_bessel(table& t);  \
    void fill_rows_logic(table& t);   \
    void fill_convert(table& t);      \
    void fill_reduce(table& t);       \
    void fill_products(table& t);     \
    void fill_factors(table& t);      \
    void fill_eigen(table& t);        \
    }
SINTER_BLOCK_FILLS(baseline)
SINTER_BLOCK_FILLS(v3)
SINTER_BLOCK_FILLS(v4)
#undef SINTER_BLOCK_FILLS

}  // namespace sinter::block
