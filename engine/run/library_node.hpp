// Runs a node that no kernel of the plan computes, on the CPU or a GPU.
#pragma once

#include "engine/graph/graph.hpp"
#include "engine/run/place_results.hpp"
#include "runtime/device/buffer.hpp"
#include "runtime/memory/arena.hpp"

namespace sinter::plan {

/// The bytes of a node's sources; null for an index or a value that failed.
runtime::arena_vector<const char*> source_bytes(const Node& n);

/// Publishes a result that was computed beside its place.
void settle_result(Version& v, runtime::buffer_ptr result);

/// Runs a library node whose sources are known. What its operation throws is its error.
void run_library_node(Node& n, const needed_fn& needed);

}  // namespace sinter::plan
