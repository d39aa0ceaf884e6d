// Finds pending nodes that a repeated request can share.
#pragma once

#include "engine/graph/graph.hpp"

namespace sinter::inline v1 {

/// Returns the storage whose newest value is the result of a pending library node with this
/// operation, these inputs and these numbers. Returns null if there is none among the first readers
/// of the first input. Only for results that are never written to: sharers share the bytes.
intrusive_ptr<Storage> find_pending(const kernel_op* op, std::span<const leaf> inputs,
                                    std::span<const Scalar> numbers);

}  // namespace sinter::inline v1
