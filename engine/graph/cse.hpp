// Finds pending nodes that a repeated request can share.
#pragma once

#include "engine/graph/graph.hpp"

namespace sinter::inline v1 {

/// The value of a pending library node with this operation, these inputs and equal attributes; none
/// if there is no such node, if a flush runs it, or if it is not among the first readers of the
/// first input. For values that nobody writes to.
intrusive_ptr<Version> find_pending(const kernel_op* op, std::span<const leaf> inputs,
                                    const op_attributes& attributes);

}  // namespace sinter::inline v1
