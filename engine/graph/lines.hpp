// The lines of the program that recorded the pending operations, for `explain`. Kept only if
// SINTER_LINES is on, since a statement takes about 3 us more then.
#pragma once

#include "engine/graph/graph.hpp"
#include "runtime/base/environment.hpp"
#include "runtime/report/call_site.hpp"

#include <optional>
#include <string>

namespace sinter {

inline bool keeps_lines() { return runtime::environment().lines; }
/// Keeps the stack of the caller for a node. Under the graph mutex, which a fork respects. Throws
/// std::bad_alloc.
void keep_line(const Node& n);
/// Forgets it. Under the graph mutex. Every node is forgotten before it is destroyed.
void forget_line(const Node& n) noexcept;
/// Returns the stack that was kept. Takes the graph mutex.
std::optional<runtime::call_site> site_of(const Node& n);
/// Returns `file.cpp:12`, or nothing if no line is known. Takes the graph mutex.
std::string line_of(const Node& n);

}  // namespace sinter
