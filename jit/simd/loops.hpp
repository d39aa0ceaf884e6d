// The common part of a level's loops. Included by the sources of a level only.
#pragma once

#include "jit/simd/table.hpp"

#include <sinter/math/host.hpp>
#include <sinter/op/rows.hpp>

#include <type_traits>

// An operand may be the output itself, so pointers are not `restrict`. But no iteration reads what
// another iteration writes.
#if defined(__clang__)
#define SINTER_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define SINTER_INDEPENDENT _Pragma("GCC ivdep")
#endif

// Marks a function with a loop over a formula: everything is inlined into it, and it is not
// analysed together with its callers. g++ stops vectorising long formulas after interprocedural
// propagation.
#if defined(__clang__)
#define SINTER_BLOCK_LOOP [[gnu::flatten, gnu::noinline]]
#else
#define SINTER_BLOCK_LOOP [[gnu::flatten, gnu::noipa]]
#endif

namespace sinter::block::SINTER_BLOCK_LEVEL {

template <class T>
using number = math::host<T>;

template <class T>
constexpr int slot() {
    using kernel_ir::mtype;
    if constexpr (std::is_same_v<T, bool>)
        return static_cast<int>(mtype::b1);
    else if constexpr (std::is_same_v<T, uint8_t>)
        return static_cast<int>(mtype::u8);
    else if constexpr (std::is_same_v<T, int32_t>)
        return static_cast<int>(mtype::i32);
    else if constexpr (std::is_same_v<T, int64_t>)
        return static_cast<int>(mtype::i64);
    else if constexpr (std::is_same_v<T, float>)
        return static_cast<int>(mtype::f32);
    else
        return static_cast<int>(mtype::f64);
}

/// Calls f.template operator()<T>() for every compute type.
template <class F>
void for_each_compute_type(F f) {
    f.template operator()<bool>();
    f.template operator()<uint8_t>();
    f.template operator()<int32_t>();
    f.template operator()<int64_t>();
    f.template operator()<float>();
    f.template operator()<double>();
}

}  // namespace sinter::block::SINTER_BLOCK_LEVEL
