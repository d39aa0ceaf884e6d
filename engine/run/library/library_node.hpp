// Runs a library node, on the CPU or a GPU.
#pragma once

#include "engine/graph/graph.hpp"
#include "engine/run/library/gpu_library.hpp"
#include "engine/run/results/result_buffers.hpp"
#include "runtime/device/buffer.hpp"
#include "runtime/memory/arena.hpp"

namespace sinter::plan {

/// Returns the bytes of a node's sources; null for an index or a failed value.
runtime::arena_vector<const char*> source_bytes(const Node& n);

/// Runs a library node whose sources are known. An Error of the operation makes its version fail;
/// OutOfMemoryError is thrown. `tests`: for a GPU.
void run_library_node(Node& n, const needed_fn& needed, tests_of_values tests);

}  // namespace sinter::plan
