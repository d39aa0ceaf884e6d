// The kernel IR: what one fused kernel computes, for every back end.
//
// A kernel runs over `n1` rows of `n0` elements. Every value is scalar SSA and lives in one of two
// domains: `row` (one value for each row) or `element` (one for each element of each row). A map
// kernel has element values only. In a kernel with reductions the `n0` elements of a row are the
// reduced range, flattened in logical row-major order; a reduction turns an element value into a
// row value.
//
//   stage   A value's stage is the number of reductions that must be complete before it can be
//           computed. The kernel runs stage by stage over each row: stage s computes the element
//           values that its reductions and its stores need, and may compute again what an earlier
//           stage computed. `schedule` (schedule.hpp) is the one definition of that order.
//   kept    An element store of stage s may be loaded again, by later stages alone: a `load` of the
//           output, behind the store in the body. It is how a stage spares later ones a value that
//           is dear. Behind the load, one more store may put the result there, in the last stage
//           that loads; the outputs of such a kernel share no memory with its inputs.
//   memory  operand k is a pointer and two byte strides (s1 along rows, s0 along elements). For a
//           `row` value s0 is ignored. The class of the stride along the lane dimension is part of
//           the kernel, the other stride is general. Extents and scalars are arguments.
//   lanes   `lanes::element`: vector lanes run along n0. `lanes::row`: lanes run along n1, which is
//           how an outer axis is reduced. The choice never changes a bit of any result.
//   types   `type` is the logical type of a value. A value of a narrow type (`is_narrow`) is held
//           in a wider machine type and is exactly a value of its own: a Half is a float,
//           operations compute in float and round after each operation; a Char is an i32, and each
//           operation keeps its low byte. Bool values are masks. Arithmetic on integers wraps.
//   form    What is known of the rows of a kernel with reductions (row_form).
//   known   `extent`: the n0 of every call, where it is not 0. `known`: scalars whose values the
//           kernel knows; they still come as arguments. Nothing but speed depends on either.
//   order   Reductions follow reduce_order.hpp, a function of n0 and the accumulator type only.
//
// Two levels share the structure. At row level (what plans build, what is serialised, what keys
// compare) an operation is `opcode::row`, one row of op/elementwise.def. `decompose` expands each
// into primitives, through the row's own formula; interpreters and code generators read that.
#pragma once

#include <sinter/dtype.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::kernel_ir {

enum class domain : uint8_t { row, element };
enum class lanes : uint8_t { element, row };
enum class role : uint8_t { input, output, index };
/// Byte stride along the lane dimension: 0, the element size, anything, twice the element size, or
/// (inputs of a map kernel with lanes::element) anything while rows are the element size apart.
enum class stride_class : uint8_t { zero, unit, other, pair, across };

/// Compute (machine) type of a value.
enum class mtype : uint8_t { b1, u8, i32, i64, f32, f64 };

constexpr mtype compute_type(ScalarType type) {
    switch (type) {
        case kBool: return mtype::b1;
        case kByte: return mtype::u8;
        case kChar:
        case kShort:
        case kInt: return mtype::i32;
        case kLong: return mtype::i64;
        case kDouble: return mtype::f64;
        default: return mtype::f32;  // Half, BFloat16 and Float
    }
}

/// Whether values are held in a machine type that has more of them.
constexpr bool is_narrow(ScalarType type) {
    return type == kHalf || type == kBFloat16 || type == kChar || type == kShort;
}

constexpr bool is_float(mtype t) { return t == mtype::f32 || t == mtype::f64; }

enum class opcode : uint8_t {
    // ---- both levels
    load,    // operand `a`, an input or what was kept in an output; result in its logical type
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
    rare,    // the same where `a` is true of few numbers: what only b needs may be left out of a
             // vector none of whose lanes has one
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
    mtype in_mt{};              // primitives: machine type of operand a (of b for select)
                                // fields that an opcode does not use keep these defaults
    domain dom = domain::element;
    bool fast = false;  // row, over floats: may be computed as `decompose` says
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

/// Lanes run along elements but for `few`. From `one_chunk` to `up_to_16` n0 is at least 1, nothing
/// merges, and no threads share a row.
enum class row_form : uint8_t {
    any,
    one_chunk,  // of at most a chunk of the order
    up_to_32,   // of 17 elements or more, and as many as the order has lanes at most
    up_to_16,   // of so many elements at most
    /// Ranges of several dimensions, which arrive run by run (call_mode::runs), of a kernel that
    /// stores no elements. What strides say about lanes holds within a run, and the general stride
    /// is that of a run.
    runs,
    few,  // lanes run along rows, and n0 is at most reduce_few
};

struct known_scalar {
    int32_t number = 0;
    uint64_t bits = 0;  // as an argument of its type

    bool operator==(const known_scalar&) const = default;
};

struct kernel {
    lanes along = lanes::element;
    row_form form = row_form::any;
    bool primitive = false;  // level
    std::vector<operand> operands;
    std::vector<mtype> scalars;
    int64_t extent = 0;
    std::vector<known_scalar> known;  // by number
    std::vector<instr> body;          // in SSA order: an operand's id is smaller than its user's

    bool has_reduction() const;
    bool one_chunk() const { return form >= row_form::one_chunk && form <= row_form::up_to_16; }
    bool keeps_values() const;  // whether an output is loaded again
    bool operator==(const kernel&) const = default;
};

/// Status bits that `guard` raises; a launch turns them into an exception.
enum status : uint64_t { status_zero_division = 1 };

/// Throws InternalError naming instruction, operand and types where the kernel breaks a rule.
void verify(const kernel& k);

/// Text, one instruction a line: `%5 = mul f32 %3 %4`.
std::string print(const kernel& k);

/// Canonical bytes of a row-level kernel: the cache key. `deserialize` throws on malformed input.
std::vector<uint8_t> serialize(const kernel& k);
kernel deserialize(const uint8_t* data, std::size_t size);

/// The same kernel at primitive level: every row expanded through its own formula, common
/// primitives merged, dead ones dropped. Among rows that are `fast` a product that is added or
/// subtracted becomes an fma, a quotient by a row value a product, and narrow values are rounded
/// where others than fast rows read them. No formula is touched: some need every rounding.
kernel decompose(const kernel& k);

}  // namespace sinter::kernel_ir
