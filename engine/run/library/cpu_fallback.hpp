// The CPU fallback: computes a single node on the CPU, on whatever device its tensors are. Used for
// operations without a GPU kernel.
#pragma once

#include "engine/graph/graph.hpp"
#include "engine/run/results/library_results.hpp"

namespace sinter::plan {

/// Warns once per operation that the CPU computes it for a GPU, and counts that in stats().
void note_cpu_fallback(const char* op);

/// Copies the sources of a library node to main memory, computes there, and returns the results in
/// fresh memory on the node's device. Warns once per operation and counts in stats(). Throws the
/// node's errors.
library_results run_cpu_fallback(const Node& n);

/// Computes a node from sources in main memory (null: unknown) into `result`, also in main memory.
/// Returns the status bits that a guard raised.
uint64_t run_on_host(const Node& n, std::span<const runtime::buffer_ptr> sources,
                     runtime::buffer_ptr& result);

/// Returns the bytes of a version in main memory: its own buffer, or a copy from a GPU.
runtime::buffer_ptr on_host(const Version& v);

}  // namespace sinter::plan
