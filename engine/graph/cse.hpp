// Finding pending work that is asked for again.
#pragma once

#include "engine/graph/graph.hpp"

namespace sinter::inline v1 {

/// The storage whose newest value is the result of a pending library node with this operation,
/// these inputs and these numbers; none if there is no such node, or if it is not among the first
/// readers of the first input. For results that nobody writes to: whoever shares one shares its
/// bytes.
intrusive_ptr<Storage> find_pending(const kernel_op* op, std::span<const leaf> inputs,
                                    std::span<const Scalar> numbers);

}  // namespace sinter::inline v1
