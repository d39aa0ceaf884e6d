// Runs a library node, on the CPU or a GPU.
#pragma once

#include "engine/graph/graph.hpp"
#include "engine/run/result_buffers.hpp"
#include "runtime/device/buffer.hpp"
#include "runtime/memory/arena.hpp"

namespace sinter::plan {

/// Returns the bytes of a node's sources; null for an index or a failed value.
runtime::arena_vector<const char*> source_bytes(const Node& n);

/// Publishes a result that was computed in a separate buffer. Copies it to the main buffer of its
/// storage if that address is known.
void settle_result(Version& v, runtime::buffer_ptr result);

/// Runs a library node whose sources are known. An Error of the operation makes its version fail;
/// OutOfMemoryError is thrown.
void run_library_node(Node& n, const needed_fn& needed);

}  // namespace sinter::plan
