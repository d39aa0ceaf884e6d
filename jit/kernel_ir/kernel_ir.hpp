// The kernel IR: what one fused kernel computes, for every back end.
//
// A kernel runs over `n1` rows of `n0` elements. Every value is scalar SSA and has one of two
// domains: `row` (one value per row) or `element` (one value per element of each row). A map kernel
// has element values only. In a kernel with reductions the `n0` elements of a row are the reduced
// range, flattened in logical row-major order. A reduction turns an element value into a row value.
//
//   stage   A value's stage is the number of reductions that must be complete before it can be
//           computed. The kernel runs the stages one after another over each row. Stage s computes
//           the element values that its reductions and stores need; it may recompute values of
//           earlier stages. `schedule` (schedule.hpp) is the only definition of that order.
//   kept    An element store of stage s may be loaded again, by later stages only: as a `load` of
//           the output that follows the store in the body. This saves later stages from recomputing
//           an expensive value. After the load, one more store may write the result to the same
//           output, in the last stage that loads it. The outputs of such a kernel share no memory
//           with its inputs.
//   memory  An operand is a pointer and two byte strides (s1 along rows, s0 along elements). A
//           `row` value ignores s0. The class of the stride along the lane dimension is part of the
//           kernel; the other stride is arbitrary. Extents and scalars are arguments.
//   lanes   `lanes::element`: vector lanes run along n0. `lanes::row`: lanes run along n1; this is
//           how an outer axis is reduced. The choice does not change a bit of any result.
//   types   `type` is the logical type of a value. A value of a narrow type (`is_narrow`) is held
//           in a wider machine type, but is always exactly representable in the narrow one. A Half
//           is held as a float: operations compute in float and round after each operation. A Char
//           is held as an i32, and each operation keeps the low byte. Bool values are masks.
//           Integer arithmetic wraps.
//   form    The facts known about the rows of a kernel with reductions (row_form).
//   known   `extent`: the n0 of every call, if it is not 0. `known`: scalars whose values the
//           kernel knows; they are still passed as arguments. Both affect speed only.
//   order   Reductions follow reduce_order.hpp, a function of n0 and the accumulator type only.
//
// Two levels share the structure. At row level (which plans build, serialisation stores and keys
// compare) an operation is `opcode::row`, one row of op/elementwise.def. `decompose` expands each
// row into primitives through the row's formula; interpreters and code generators read primitives.
#pragma once

#include "runtime/types/dtypes.hpp"

#include <sinter/dtype.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::kernel_ir {

enum class domain : uint8_t { row, element };
enum class lanes : uint8_t { element, row };
enum class role : uint8_t { input, output, index };
/// Byte stride along the lane dimension: 0 (zero), the element size (unit), any (other), or twice
/// the element size (pair). across: any stride, where rows are one element size apart (inputs of
/// map kernels with lanes::element only).
enum class stride_class : uint8_t { zero, unit, other, pair, across };

/// Compute (machine) type of a value.
enum class mtype : uint8_t { b1, u8, i32, i64, f32, f64 };

constexpr mtype compute_type(ScalarType type) {
    switch (compute_dtype(type)) {
        case kBool: return mtype::b1;
        case kByte: return mtype::u8;
        case kInt: return mtype::i32;
        case kLong: return mtype::i64;
        case kDouble: return mtype::f64;
        default: return mtype::f32;
    }
}

/// Returns true if values of the type are held in a wider machine type.
constexpr bool is_narrow(ScalarType type) { return compute_dtype(type) != type; }

constexpr bool is_float(mtype t) { return t == mtype::f32 || t == mtype::f64; }

enum class opcode : uint8_t {
    // ---- both levels
    load,    // operand `a`, an input or a kept output; result in its logical type
    index,   // operand `a` with role::index: base + row * s1 + element * s0, as i64 (no memory)
    scalar,  // scalar argument `a`, of machine type scalars[a]; domain row
    reduce,  // reduction `row` (op/reduce.def) of value `a`, of type `in`; `b`: moments'
             // correction, a
             // row value in the accumulator type, else none
    store,   // value `b` into operand `a`; `type` is the operand's; an element store of a row value
             // writes it to every element
    // ---- row level only
    cast,  // value `a` to logical type `type`, by PyTorch's conversion rules
    row,   // operation `row` of op/elementwise.def on a, b, c, each cast to `in` (a condition: to
           // Bool)
    // ---- primitive level only; result machine type `mt`, operand machine type `in_mt`
    constant,  // imm: bit pattern
    add,
    sub,
    mul,
    div,  // float IEEE, integers wrap; div: float only
    neg,
    abs,  // float: sign bit only; integer: wraps
    fma,
    sqrt,
    floor,
    ceil,
    trunc,
    rint,  // float; fma rounds once; rint to nearest even
    idiv,
    irem,  // truncated; 0 divisor gives 0 / dividend, MIN / -1 wraps
    and_,
    or_,
    xor_,
    not_,  // integers and b1
    shl,
    shr,
    lshr,  // counts in [0, bits)
    eq,
    ne,
    lt,
    le,
    gt,
    ge,      // result b1; float: ordered, ne unordered; u8 unsigned
    select,  // a (b1) ? b : c
    rare,    // select where `a` is rarely true: what only `b` needs may be skipped for a vector in
             // which `a` holds in no lane
    bits,
    from_bits,  // f32 <-> i32, f64 <-> i64
    convert,    // in_mt -> mt: exact or to nearest; float to integer truncates, in range only
    narrow,     // to the narrow type `type`: f32 to its nearest, i32 to its low bits
    mulhi_u32,  // i32 x i32 as unsigned: high word
    lookup,     // table `row` at index `a` (i32, in range): tables.hpp
    guard,      // b1 `a`: if true in any active lane, status |= imm; result = value `b`
};

using value_id = int32_t;
inline constexpr value_id none = -1;

struct instr {
    opcode op{};
    ScalarType type = ScalarType::Undefined;  // logical type of the result
    ScalarType in =
        ScalarType::Undefined;  // row: type it is computed in; cast, reduce: type of `a`
    mtype mt{};                 // machine type of the result
    mtype in_mt{};              // primitives: machine type of operand a (of b for select); unused
                                // fields keep these defaults
    domain dom = domain::element;
    bool fast = false;  // row on floats: may be computed as `decompose` says
    uint16_t row = 0;
    value_id a = none, b = none, c = none;
    uint64_t imm = 0;

    bool operator==(const instr&) const = default;
};

struct operand {
    role use = role::input;
    ScalarType type = ScalarType::Undefined;
    stride_class lane = stride_class::other;

    bool operator==(const operand&) const = default;
};

/// Lanes run along elements except for `few`. From `one_chunk` to `up_to_16`, n0 is at least 1, no
/// states are merged, and no threads share a row.
enum class row_form : uint8_t {
    any,
    one_chunk,  // at most one chunk (reduce_chunk)
    up_to_32,   // 17 to 32 (reduce_lanes) elements
    up_to_16,   // at most 16 elements
    /// The reduced range has several dimensions and arrives run by run (call_mode::runs). The
    /// kernel stores no elements. Lane stride classes and s0 hold within a run.
    runs,
    few,  // lanes run along rows, and n0 is at most reduce_few
};

struct known_scalar {
    int32_t number = 0;
    uint64_t bits = 0;  // bit pattern, as for an argument of its type

    bool operator==(const known_scalar&) const = default;
};

struct kernel {
    lanes along = lanes::element;
    row_form form = row_form::any;
    bool primitive = false;  // at primitive level, else at row level
    std::vector<operand> operands;
    std::vector<mtype> scalars;
    int64_t extent = 0;
    std::vector<known_scalar> known;  // by number
    std::vector<instr> body;          // in SSA order: an operand's id is smaller than its user's

    bool has_reduction() const;
    bool one_chunk() const { return form >= row_form::one_chunk && form <= row_form::up_to_16; }
    bool keeps_values() const;  // true if an output is loaded again
    bool operator==(const kernel&) const = default;
};

/// Status bits that `guard` raises; a launch turns them into an exception.
enum status : uint64_t { status_zero_division = 1 };

/// Throws InternalError, naming the instruction, operand and types, if the kernel breaks a rule.
void verify(const kernel& k);

/// Returns the kernel as text, one instruction per line: `%5 = mul f32 %3 %4`.
std::string print(const kernel& k);

/// Returns the canonical bytes of a row-level kernel: the cache key. `deserialize` throws
/// InternalError on malformed input.
std::vector<uint8_t> serialize(const kernel& k);
kernel deserialize(const uint8_t* data, std::size_t size);

/// Returns the kernel at primitive level: every row expanded through its formula, common
/// subexpressions merged, dead values dropped. For rows that are `fast`, a product that is added or
/// subtracted becomes an fma, a quotient by a row value becomes a product with its reciprocal, and
/// a narrow value is rounded only for readers that are not fast rows. No formula is changed: some
/// need every rounding.
kernel decompose(const kernel& k);

}  // namespace sinter::kernel_ir
