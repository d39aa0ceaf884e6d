// Room on a GPU whose memory has run out: pending values are computed that hold more than they are.
#pragma once

#include "engine/graph/graph.hpp"

namespace sinter::inline v1 {

/// Computes what is pending on a GPU and reads more memory that nobody else can name than its own
/// value takes. Errors of values stay theirs. False if there is nothing of the kind, or the thread
/// is about it already.
bool make_room(runtime::device_index place);

/// Memory there; what is pending gives way before OutOfMemoryError is thrown. Not inside a flush.
runtime::buffer_ptr make_buffer_with_room(std::size_t bytes, runtime::device_index place);

}  // namespace sinter::inline v1
