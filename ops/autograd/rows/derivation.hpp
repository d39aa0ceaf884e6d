// The derivatives of a statement: a program over tensors and numbers, whose vector-Jacobian or
// Jacobian-vector program is derived once and then made into pending statements at each use.
#pragma once

#include "engine/graph/infer.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sinter::inline v1::autograd {

/// What a leaf of a piece reads.
struct piece_source {
    // In forward mode, `gradient` is the tangent of an operand.
    enum class kind : uint8_t { operand, result, gradient, piece };
    kind what;
    uint16_t number = 0;  // of the operand, or of an earlier piece

    bool operator==(const piece_source&) const = default;
};

/// A statement that computes a value which is needed more than once, a gradient or a tangent.
struct piece {
    const program* code;  // null: polygamma of the order below, of the one leaf, which is a piece
    std::vector<piece_source> leaves;
    // Each is a number of the statement, or one of the derivative's own.
    struct number {
        int32_t of_statement = -1;
        double own = 0;
    };
    std::vector<number> numbers;
    int order = 0;
};

/// The gradient of an operand.
struct operand_gradient {
    uint16_t operand;
    // Of the statement's result alone, the last piece, or none: the result does not change with the
    // operand.
    std::optional<piece_source> source;
    bool is_zero = false;  // there is no source, but a gradient: 0 everywhere
};

struct derivation {
    std::vector<piece> pieces;
    std::vector<operand_gradient> gradients;  // of the wanted operands, in their order
    std::optional<piece_source> tangent;      // of the result in forward mode; none: 0
    std::vector<bool> saves;                  // operands that a piece reads
    bool saves_result = false;
    const char* missing = nullptr;  // the row that has no derivative, if one is needed
    bool follows = true;            // false: no wanted operand has a gradient, not even 0
};

/// Returns the derivation for the operands that are wanted, made once and never freed.
const derivation& derive(const typed_program& code, std::span<const bool> wanted);
/// The same in forward mode, for the operands that have tangents. What its pieces read is also read
/// by those of derive() for these operands.
const derivation& derive_forward(const typed_program& code, std::span<const bool> varied);

}  // namespace sinter::inline v1::autograd
