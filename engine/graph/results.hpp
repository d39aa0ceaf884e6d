// Operations with several results. One node computes a bundle that no tensor refers to. Each result
// is a separate node, which takes one part of the bundle. All other code can therefore assume that
// a node has one value. XLA's tuples and get-tuple-element work in the same way.
#pragma once

#include "engine/graph/graph.hpp"

namespace sinter::inline v1 {

struct result_attributes {
    std::size_t index;
    const kernel_op* of;  // computes the bundle
    bool operator==(const result_attributes&) const = default;
};

/// Takes one part of inputs[0], a bundle. It computes nothing, so it is not counted as an
/// operation. Attributes: result_attributes.
extern const kernel_op result_op;

/// Returns the operation that computes a library node's value. For a result_op node, that is the
/// operation of the bundle.
inline const kernel_op& computed_by(const Node& n) {
    return n.library == &result_op ? *n.attributes->as<result_attributes>().of : *n.library;
}

}  // namespace sinter::inline v1
