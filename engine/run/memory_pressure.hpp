// Frees memory on a GPU that is out of memory: computes pending values that keep more bytes alive
// than they need themselves.
#pragma once

#include "engine/graph/graph.hpp"

namespace sinter::inline v1 {

/// Computes pending values on a GPU that keep alive more bytes than their own value takes. Counts
/// only bytes that no tensor refers to. Errors of values stay deferred. Returns false if nothing
/// was computed, or if the thread is already doing this.
bool make_room(runtime::device_index device);

/// Returns memory on `place`. Calls `make_room` before it throws OutOfMemoryError. Must not be
/// called inside a flush.
runtime::buffer_ptr make_buffer_with_room(std::size_t bytes, runtime::device_index device);

}  // namespace sinter::inline v1
