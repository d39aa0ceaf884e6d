// A node computed by itself, by the CPU, wherever its tensors are: what has no kernel on a GPU yet,
// and what finds out which of several operations a guard refuses.
#pragma once

#include "engine/graph/graph.hpp"
#include "engine/run/library_results.hpp"

namespace sinter::plan {

/// Says once of an operation that the CPU computes it for a GPU, and counts that in stats().
void note_cpu_fallback(const char* op);

/// Copies the sources of a library node to main memory, computes there, and copies the results
/// back, in memory of their own. Says so once for each operation in a warning, and counts in
/// stats(). Throws its errors.
library_results run_cpu_fallback(const Node& n);

/// Computes a node from sources in main memory (null: not known) to a result there. Returns the
/// status bits that a guard raised.
uint64_t run_on_host(const Node& n, std::span<const runtime::buffer_ptr> sources,
                     runtime::buffer_ptr& result);

/// A version's bytes in main memory: its own where they are there.
runtime::buffer_ptr on_host(const Version& v);
/// So many bytes of main memory in a place: the same where that is it.
runtime::buffer_ptr at_place(runtime::device_index place, runtime::buffer_ptr host,
                             std::size_t bytes);

}  // namespace sinter::plan
