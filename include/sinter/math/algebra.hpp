// The algebra: what a row's formula may be written in. A formula is a function template over a
// number type V. Two families of number types exist:
//
//   host<T>     a C++ scalar; a loop over it vectorises, and it is what block rows are made of
//   ir<T>       a value of the kernel IR (jit/kernel_ir/rows/ir_number.hpp): what compiled kernels,
//               the interpreter and the C-like text are made of
//
// with T the compute type: float, double, int32_t, int64_t, uint8_t, bool. Both give the same bits
// for the same formula: every operation below is exact or correctly rounded, and nothing contracts.
//
//   V::scalar              T                      V::mask            number<bool>
//   V::template as<U>      the same family over U
//   V::brief()             of float: whether the row's result will be rounded to Half or
//                          BFloat16, so that it need not be better than 2^-16 of itself
//   V(double), V(int)      constant               V::from(T)         constant, exactly
//   V::fast()              whether the row may be off by 4 ULP (FastMathGuard)
//   + - * unary-           IEEE; integers wrap    /                  floats only
//   & | ^ ~                integers and masks     !                  masks
//   << >> lshr(x, n)       by a V or an int in [0, bits); >> is arithmetic, lshr logical (u8: both)
//   == != < <= > >=        a mask; unordered compares are false, != true
//   select(m, a, b)        a where m, else b; both are computed
//   rarely(m, a, b)        the same where m is true of few numbers, whatever a costs: where it is
//                          true of none of a vector or block, what only a needs is left out. Block
//                          rows ask jit/simd/rows.hpp: has_rare_part, is_rare
//   fma(a, b, c) sqrt floor ceil trunc rint abs
//                          floats; abs clears the sign bit; integers: abs wraps, the rounding four
//                          are the identity
//   idiv(a, b) irem(a, b)  integers, truncated; zero divisor gives 0 and a; MIN / -1 wraps
//   bits(x), from_bits<V>(i)     float <-> integer of its width
//   convert<U>(x)          between number types, U a scalar type; float to integer truncates and is
//                          in range only; integers wrap; from bool 0 or 1
//   mulhi(a, b)            int32_t as unsigned 32 bits: high word of the product
//   lookup<V>(table::t, i) constant tables (math/tables/tables.hpp), i an int32_t number in range
//   guard(m, status, x)    x; if m in any element, the launch fails with that status. host<T> adds
//                          it to the thread's host_status, which a block loop takes when it ends
//
// Two habits keep loops over host<T> vectorised: test the lowest bit of an integer with is_odd
// (pair.hpp) and never by `(n & 1) != 0`, and keep masks out of select's last two operands.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sinter::math {

template <class V>
inline constexpr bool is_real = std::is_floating_point_v<typename V::scalar>;
template <class V>
inline constexpr bool is_mask = std::is_same_v<typename V::scalar, bool>;
template <class V>
inline constexpr bool is_integer = !is_real<V> && !is_mask<V>;
template <class V>
inline constexpr bool is_double = std::is_same_v<typename V::scalar, double>;

}  // namespace sinter::math
