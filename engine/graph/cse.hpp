// Finds pending nodes that a repeated request can share.
#pragma once

#include "engine/graph/graph.hpp"

namespace sinter::inline v1 {

/// Returns the value of a pending library node with this operation, these inputs and equal
/// attributes. Returns null if there is none among the first readers of the first input, or if a
/// running flush has claimed it. Only for values that are never written to: all callers get the
/// same version.
intrusive_ptr<Version> find_pending(const kernel_op* op, std::span<const leaf> inputs,
                                    const op_attributes& attributes);

}  // namespace sinter::inline v1
