// Runs a plan, or the alternative to it that was measured to be faster.
#pragma once

#include "engine/run/executable/executable.hpp"

namespace sinter::plan {

/// Runs a plan over the subgraph that it was made for, or one of the same structure. Values that
/// fail a guard become failed versions, and so do their readers. Other exceptions leave nodes that
/// have not run pending.
void execute(const executable& e, subgraph& w, executor how);

/// Returns true if a compiled kernel takes about as long as claims would, which take the graph
/// mutex twice: 1 us or less with wide vectors and in cache. It then runs under the mutex.
constexpr bool may_hold_mutex(int64_t elements, int64_t cost) {
    constexpr int64_t most_elements = 16384, primitives = 65536;
    return elements <= most_elements && elements * cost <= primitives;
}

}  // namespace sinter::plan
