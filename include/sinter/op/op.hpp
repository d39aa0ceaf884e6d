// The names, arities and dtype rules of the operation tables: all that a user's program compiles of
// them. Formulas stay inside the library.
#pragma once

#include <sinter/config.hpp>
#include <sinter/dtype.hpp>

#include <cstdint>

namespace sinter::inline v1 {

/// Which operand dtypes an elementwise operation takes, in which type it computes, what it returns.
/// "Promoted" is the common dtype by PyTorch's rules.
enum class dtype_rule : uint8_t {
    any,       // promoted, bool allowed -> promoted
    numeric,   // promoted, bool refused -> promoted
    power,     // as numeric; exponents that are scalars are checked where the call is
    matched,   // as any, but operands that are tensors have one dtype
    floating,  // promoted, integers and bool become the default dtype -> that
    real,      // promoted, integers and bool refused -> promoted
    wide,      // as real; of narrow floats a formula of its own -> promoted
    test,      // promoted, bool allowed -> Bool
    logical,   // each operand converted to Bool -> Bool
    bitwise,   // promoted, integers and bool -> promoted
    shift,     // promoted, integers only -> promoted
    whole,     // promoted, integers only -> promoted
    choice,    // first operand Bool, the other two promoted -> promoted
    random,    // two Long operands -> a dtype that the program states
};

namespace op {

enum id : uint16_t {
#define ROW1(name, ...) name,
#define ROW2(name, ...) name,
#define ROW3(name, ...) name,
#include <sinter/op/elementwise.def>
#undef ROW1
#undef ROW2
#undef ROW3
    count
};

enum class reduction : uint16_t {
#define FOLD(name, ...) name,
#define ARG(name, ...) name,
#define MOMENTS(name, ...) name,
#include <sinter/op/reduce.def>
#undef FOLD
#undef ARG
#undef MOMENTS
    count
};

struct row_info {
    const char* name;
    uint8_t arity;
    dtype_rule rule;
};

inline constexpr row_info rows[] = {
#define ROW1(name, rule, ...) {#name, 1, dtype_rule::rule},
#define ROW2(name, rule, ...) {#name, 2, dtype_rule::rule},
#define ROW3(name, rule, ...) {#name, 3, dtype_rule::rule},
#include <sinter/op/elementwise.def>
#undef ROW1
#undef ROW2
#undef ROW3
};
static_assert(sizeof(rows) / sizeof(rows[0]) == count);

enum class reduction_kind : uint8_t { fold, arg, moments };
enum class reduction_result : uint8_t { sum, same, floating, boolean, index };

struct reduction_info {
    const char* name;
    reduction_kind kind;
    reduction_result result;
};

inline constexpr reduction_info reductions[] = {
#define FOLD(name, result, ...) {#name, reduction_kind::fold, reduction_result::result},
#define ARG(name, ...) {#name, reduction_kind::arg, reduction_result::index},
#define MOMENTS(name, ...) {#name, reduction_kind::moments, reduction_result::floating},
#include <sinter/op/reduce.def>
#undef FOLD
#undef ARG
#undef MOMENTS
};

constexpr const row_info& info(id row) { return rows[row]; }
constexpr const reduction_info& info(reduction row) {
    return reductions[static_cast<uint16_t>(row)];
}

}  // namespace op
}  // namespace sinter::inline v1
