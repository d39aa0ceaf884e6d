// The lines of the program that recorded the pending operations, for `explain`. Kept only if
// SINTER_LINES is on, since a statement takes about 3 us more then.
#pragma once

#include "engine/graph/graph.hpp"

#include <string>

namespace sinter {

/// Keeps the stack of the caller for a node, if lines are kept. Throws std::bad_alloc.
void keep_line(const Node& n);
/// Forgets it. Every node is forgotten before it is destroyed.
void forget_line(const Node& n) noexcept;
/// Returns `file.cpp:12`, or nothing if no line is known.
std::string line_of(const Node& n);

}  // namespace sinter
