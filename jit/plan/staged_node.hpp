// A node of a GPU's tensors computed by the CPU: what has no kernel there yet, and what finds out
// which of several operations a guard refuses.
#pragma once

#include "jit/graph/graph.hpp"

namespace sinter::plan {

/// Copies the sources to main memory, computes there, and copies the result back, in memory of its
/// own. A library operation says so once in a warning, and counts in stats(). Throws its errors.
runtime::buffer_ptr run_staged(const Node& n);

/// The same of sources that are in main memory, null: not known; the result stays there. Returns
/// the status bits that a guard raised.
uint64_t run_on_host(const Node& n, std::span<const runtime::buffer_ptr> sources,
                     runtime::buffer_ptr& result);

/// A version's bytes in main memory.
runtime::buffer_ptr on_host(const Version& v);

}  // namespace sinter::plan
