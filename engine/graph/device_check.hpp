// Where a node runs: all its operands are in one place, or it is an error at its line.
#pragma once

#include "engine/graph/graph.hpp"

namespace sinter::inline v1 {

/// For a node whose sources are in different places: brings numbers without dimensions that are in
/// main memory to where the other sources are, as copies. Throws Error, naming both tensors, where
/// others are in different places.
void bring_together(const char* op, Node& n);

/// The same for a node whose result goes to memory that exists.
void place_result(const char* op, Node& n, runtime::device_index target);

/// "cpu", "cuda:1".
std::string place_name(runtime::device_index place);

/// An operand, for the message below.
struct placed_operand {
    IntArrayRef sizes;
    runtime::device_index place;
};
[[noreturn]] void refuse_apart(const char* op, const placed_operand& a, const placed_operand& b);

}  // namespace sinter::inline v1
